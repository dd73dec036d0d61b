// JSON Web Tokens in their compact form: three parts, signed with one key and checked with several. Made once at start
// from PEM, then constant; any thread. Says nothing of what the claims mean.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/signing_keys.h"
#include "base/result.h"
#include "value/value.h"

namespace auth {

class TokenSigner {
 public:
  // The first key of the file, which is private; fails on what holds none.
  static base::Result<std::shared_ptr<const TokenSigner>> Parse(const std::string& pem);

  // The token that says `claims`, a JSON object.
  std::string Sign(std::string_view claims) const;

 private:
  SigningKey key_;
  std::string_view algorithm_;  // RS256, ES256, ...
  std::string header_;          // encoded
};

// A token that was taken apart and not checked yet; borrows the text.
struct WebToken {
  std::string_view signed_part;
  value::Value header, claims;  // objects, in the arena
  std::string signature;
};
// None: it is no such token.
std::optional<WebToken> ParseWebToken(std::string_view text, value::Arena& arena);

class TokenKeys {
 public:
  // Keys of several files, the same ones once.
  static base::Result<std::shared_ptr<const TokenKeys>> Parse(const std::vector<std::string>& pem_files);

  // Whether one of the keys that the token may mean signed it; why not in the real server's words.
  std::expected<void, std::string> Check(const WebToken& token) const;

 private:
  struct Named {
    std::string id;
    SigningKey key;
  };
  std::vector<Named> keys_;
};

}  // namespace auth
