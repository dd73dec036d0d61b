// Tokens of service accounts: whose they are, as long as the account and what they are bound to are there. Reads what
// is stored now. Any thread.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/authenticator.h"
#include "auth/json_web_token.h"
#include "base/clock.h"
#include "registry/resource_table.h"
#include "store/store.h"

namespace auth {

class ServiceAccountTokens final : public TokenAuthenticator {
 public:
  struct Options {
    std::vector<std::string> issuers;    // whose tokens are taken
    std::vector<std::string> audiences;  // of this API: who a token must be for
    std::shared_ptr<const TokenKeys> keys;
  };
  // All outlive this.
  ServiceAccountTokens(Options options, store::Store& store, const registry::ResourceTable& resources,
                       const base::Clock& clock)
      : options_(std::move(options)), store_(store), resources_(resources), clock_(clock) {}

  Identity AuthenticateToken(std::string_view token) const override {
    return Review(token, options_.audiences).identity;
  }

  struct Verdict {
    Identity identity;                   // absent: no token of an issuer that is known
    std::vector<std::string> audiences;  // of the token, that were asked for
  };
  // For who takes tokens for one of `audiences`.
  Verdict Review(std::string_view token, const std::vector<std::string>& audiences) const;

 private:
  struct Claims;
  using Checked = std::expected<void, std::string>;

  // Of a token that a secret keeps (kubernetes.io/service-account-token): whose it is, unless the secret, or the
  // account, is not what it says any more.
  std::expected<api::User, std::string> CheckSecretToken(const value::Value& claims, std::string_view token) const;
  Checked CheckTimes(const Claims& claims) const;
  Checked CheckAccount(const Claims& claims) const;
  Checked CheckBound(const Claims& claims) const;
  // The object of that name against what a claim says of it.
  Checked CheckObject(const Claims& claims, std::string_view plural, const value::Value& reference,
                      std::string_view kind, std::string_view claim) const;
  store::CellRef Find(std::string_view plural, std::string_view namespace_name, std::string_view name) const;
  bool IsLongDeleted(const store::Cell& cell) const;

  const Options options_;
  store::Store& store_;
  const registry::ResourceTable& resources_;
  const base::Clock& clock_;
};

}  // namespace auth
