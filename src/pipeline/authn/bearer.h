// BearerTokens: takes the token out of the Authorization header, or out of the subprotocols of a WebSocket handshake,
// and asks whose it is.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/authn/authenticator.h"

namespace pipeline {

class BearerTokens final : public Authenticator {
 public:
  // Asked in order; the first who knows the token decides.
  explicit BearerTokens(std::vector<std::shared_ptr<const TokenAuthenticator>> tokens) : tokens_(std::move(tokens)) {}
  Identity Authenticate(exchange::Exchange& exchange) const override;

 private:
  Identity Ask(std::string_view token) const;
  Identity AskWebSocket(const exchange::Headers& headers) const;

  const std::vector<std::shared_ptr<const TokenAuthenticator>> tokens_;
};

}  // namespace pipeline
