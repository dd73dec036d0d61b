// Authenticator: who sends this request? One implementation for each kind of credential; the Authentication stage asks
// them in order. Shared by all threads, immutable or self-synchronised.
//
// Authenticate() answers at once and never waits: a credential that somebody else has to be asked about is answered
// with Outcome::kMustWait, and AuthenticateAsync() then finds it out.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/request.h"
#include "exchange/exchange.h"

namespace auth {

struct Identity {
  enum class Outcome {
    kUser,      // `user` is who it is
    kAbsent,    // no credential of this kind
    kRejected,  // a credential that does not hold: 401 unless another one does
    kMustWait,  // the task has to be asked
  };
  Outcome outcome = Outcome::kAbsent;
  std::shared_ptr<const api::User> user;
  std::string reason;  // for the log

  static Identity Of(std::shared_ptr<const api::User> user) { return {Outcome::kUser, std::move(user), ""}; }
  static Identity Absent() { return {}; }
  static Identity MustWait() { return {Outcome::kMustWait, nullptr, ""}; }
  static Identity Rejected(std::string reason) { return {Outcome::kRejected, nullptr, std::move(reason)}; }
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // May add warnings to the exchange's context.
  virtual Identity Authenticate(exchange::Exchange& exchange) const = 0;
  // The same, waiting where it has to: never kMustWait. `exchange` outlives the task.
  virtual base::Task<Identity> AuthenticateAsync(exchange::Exchange& exchange) const {
    co_return Authenticate(exchange);
  }
};

// Whose is this bearer token? Asked by BearerTokens, one after the other.
class TokenAuthenticator {
 public:
  virtual ~TokenAuthenticator() = default;
  virtual Identity AuthenticateToken(std::string_view token) const = 0;
  // The same, waiting where it has to: never kMustWait. `token` outlives the task.
  virtual base::Task<Identity> AuthenticateTokenAsync(std::string_view token, base::Executor& executor) const {
    static_cast<void>(executor);
    co_return AuthenticateToken(token);
  }
};

// `user` with the group system:authenticated, which every known user is in.
std::shared_ptr<const api::User> WithAuthenticatedGroup(api::User user);

}  // namespace auth
