// BearerTokens: takes the token out of the Authorization header, or out of the subprotocols of a WebSocket handshake,
// and asks whose it is.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/authenticator.h"

namespace auth {

using TokenAuthenticators = std::vector<std::shared_ptr<const TokenAuthenticator>>;

// Asks in order until one knows the token: a user, a refusal, or that it must be waited for.
Identity AskTokenAuthenticators(const TokenAuthenticators& authenticators, std::string_view token);
// The same, waiting where it has to. The arguments outlive the task.
base::Task<Identity> AskTokenAuthenticatorsAsync(const TokenAuthenticators& authenticators, std::string_view token,
                                                 base::Executor& executor);

class BearerTokens final : public Authenticator {
 public:
  explicit BearerTokens(TokenAuthenticators tokens) : tokens_(std::move(tokens)) {}
  Identity Authenticate(exchange::Exchange& exchange) const override;
  base::Task<Identity> AuthenticateAsync(exchange::Exchange& exchange) const override;

 private:
  // The token that the request brings, or what is said of it.
  static std::expected<std::string, Identity> TokenOf(exchange::Exchange& exchange);
  static std::expected<std::string, Identity> WebSocketToken(const exchange::Headers& headers);

  const TokenAuthenticators tokens_;
};

}  // namespace auth
