// Authenticator: who sends this request? One implementation for each kind of credential; the Authentication stage asks
// them in order. Shared by all threads, immutable or self-synchronised. Must not wait.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/request.h"
#include "exchange/exchange.h"

namespace pipeline {

struct Identity {
  enum class Outcome {
    kUser,      // `user` is who it is
    kAbsent,    // no credential of this kind
    kRejected,  // a credential that does not hold: 401 unless another one does
  };
  Outcome outcome = Outcome::kAbsent;
  std::shared_ptr<const api::User> user;
  std::string reason;  // for the log

  static Identity Of(std::shared_ptr<const api::User> user) { return {Outcome::kUser, std::move(user), ""}; }
  static Identity Absent() { return {}; }
  static Identity Rejected(std::string reason) { return {Outcome::kRejected, nullptr, std::move(reason)}; }
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // May add warnings to the exchange's context.
  virtual Identity Authenticate(exchange::Exchange& exchange) const = 0;
};

// Whose is this bearer token? Asked by BearerTokens, one after the other.
class TokenAuthenticator {
 public:
  virtual ~TokenAuthenticator() = default;
  virtual Identity AuthenticateToken(std::string_view token) const = 0;
};

}  // namespace pipeline
