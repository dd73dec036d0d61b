// TokenFile: the tokens of --token-auth-file: CSV records "token,user,uid[,"group1,group2"]". Read once at start,
// immutable.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "auth/authenticator.h"
#include "base/result.h"
#include "base/string_map.h"

namespace auth {

class TokenFile final : public TokenAuthenticator {
 public:
  // `path` is for error texts. Fails on what is no CSV and on records of less than three columns. Records with an empty
  // token are skipped; the last record of a token counts.
  static base::Result<std::unique_ptr<TokenFile>> Parse(std::string_view content, std::string_view path);
  static base::Result<std::unique_ptr<TokenFile>> Load(const std::string& path);
  Identity AuthenticateToken(std::string_view token) const override;

 private:
  base::StringMap<std::shared_ptr<const api::User>> users_;
};

}  // namespace auth
