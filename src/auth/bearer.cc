#include "auth/bearer.h"

#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "value/base64_url.h"

namespace auth {
namespace {

constexpr std::string_view kProtocolPrefix = "base64url.bearer.authorization.k8s.io.";

bool IsWebSocket(const exchange::Headers& headers) {
  return base::EqualsIgnoreCase(headers.Get("upgrade"), "websocket") &&
         base::ToLower(headers.Get("connection")).contains("upgrade");
}

}  // namespace

std::expected<std::string, Identity> BearerTokens::WebSocketToken(const exchange::Headers& headers) {
  std::optional<std::string> token;
  int others = 0;
  const auto reject = [](std::string why) { return std::unexpected(Identity::Rejected(std::move(why))); };
  for (std::string_view header : headers.All("sec-websocket-protocol")) {
    while (!header.empty()) {
      const size_t comma = header.find(',');
      const std::string_view protocol = base::TrimSpace(header.substr(0, comma));
      header = comma == std::string_view::npos ? std::string_view() : header.substr(comma + 1);
      if (!protocol.starts_with(kProtocolPrefix)) {
        others += protocol.empty() ? 0 : 1;
        continue;
      }
      if (token) return reject("multiple base64.bearer.authorization tokens specified");
      token = value::DecodeBase64Url(protocol.substr(kProtocolPrefix.size()));
      if (!token || token->empty()) return reject("invalid base64.bearer.authorization token encoding");
    }
  }
  if (!token) return std::unexpected(Identity::Absent());
  if (others == 0) return reject("missing additional subprotocol");
  return *std::move(token);
}

std::expected<std::string, Identity> BearerTokens::TokenOf(exchange::Exchange& exchange) {
  const exchange::Headers& headers = exchange.request().headers;
  const std::string_view authorization = base::TrimSpace(headers.Get("authorization"));
  const size_t space = authorization.find(' ');
  if (space == std::string_view::npos || !base::EqualsIgnoreCase(authorization.substr(0, space), "bearer")) {
    if (IsWebSocket(headers)) return WebSocketToken(headers);
    return std::unexpected(Identity::Absent());
  }
  const std::string_view rest = authorization.substr(space + 1);
  const std::string_view token = rest.substr(0, rest.find(' '));
  if (!token.empty()) return std::string(token);
  exchange.context().warnings.push_back(
      "the provided Authorization header contains extra space before the bearer token, and is ignored");
  return std::unexpected(Identity::Absent());
}

Identity AskTokenAuthenticators(const TokenAuthenticators& authenticators, std::string_view token) {
  for (const auto& authenticator : authenticators) {
    Identity identity = authenticator->AuthenticateToken(token);
    using enum Identity::Outcome;
    if (identity.outcome == kUser || identity.outcome == kMustWait) return identity;
  }
  return Identity::Rejected("invalid bearer token");
}

base::Task<Identity> AskTokenAuthenticatorsAsync(const TokenAuthenticators& authenticators, std::string_view token,
                                                 base::Executor& executor) {
  for (const auto& authenticator : authenticators) {
    Identity identity = co_await authenticator->AuthenticateTokenAsync(token, executor);
    if (identity.outcome == Identity::Outcome::kUser) co_return identity;
  }
  co_return Identity::Rejected("invalid bearer token");
}

Identity BearerTokens::Authenticate(exchange::Exchange& exchange) const {
  const std::expected<std::string, Identity> token = TokenOf(exchange);
  return token ? AskTokenAuthenticators(tokens_, *token) : token.error();
}

base::Task<Identity> BearerTokens::AuthenticateAsync(exchange::Exchange& exchange) const {
  const size_t warnings = exchange.context().warnings.size();
  const std::expected<std::string, Identity> token = TokenOf(exchange);
  exchange.context().warnings.resize(warnings);  // Authenticate() was asked first and gave them
  if (!token) co_return token.error();
  co_return co_await AskTokenAuthenticatorsAsync(tokens_, *token, exchange.executor());
}

}  // namespace auth
