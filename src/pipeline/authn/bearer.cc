#include "pipeline/authn/bearer.h"

#include <optional>
#include <string>

#include "base/text.h"
#include "value/base64_url.h"

namespace pipeline {
namespace {

constexpr std::string_view kProtocolPrefix = "base64url.bearer.authorization.k8s.io.";

bool IsWebSocket(const exchange::Headers& headers) {
  return base::EqualsIgnoreCase(headers.Get("upgrade"), "websocket") &&
         base::ToLower(headers.Get("connection")).contains("upgrade");
}

}  // namespace

Identity BearerTokens::Ask(std::string_view token) const {
  for (const auto& tokens : tokens_) {
    Identity identity = tokens->AuthenticateToken(token);
    if (identity.outcome != Identity::Outcome::kAbsent) return identity;
  }
  return Identity::Rejected("invalid bearer token");
}

Identity BearerTokens::AskWebSocket(const exchange::Headers& headers) const {
  std::optional<std::string> token;
  int others = 0;
  for (std::string_view header : headers.All("sec-websocket-protocol")) {
    while (!header.empty()) {
      const size_t comma = header.find(',');
      const std::string_view protocol = base::TrimSpace(header.substr(0, comma));
      header = comma == std::string_view::npos ? std::string_view() : header.substr(comma + 1);
      if (!protocol.starts_with(kProtocolPrefix)) {
        others += protocol.empty() ? 0 : 1;
        continue;
      }
      if (token) return Identity::Rejected("multiple base64.bearer.authorization tokens specified");
      token = value::DecodeBase64Url(protocol.substr(kProtocolPrefix.size()));
      if (!token || token->empty()) return Identity::Rejected("invalid base64.bearer.authorization token encoding");
    }
  }
  if (!token) return Identity::Absent();
  if (others == 0) return Identity::Rejected("missing additional subprotocol");
  return Ask(*token);
}

Identity BearerTokens::Authenticate(exchange::Exchange& exchange) const {
  const exchange::Headers& headers = exchange.request().headers;
  const std::string_view authorization = base::TrimSpace(headers.Get("authorization"));
  const size_t space = authorization.find(' ');
  if (space == std::string_view::npos || !base::EqualsIgnoreCase(authorization.substr(0, space), "bearer")) {
    return IsWebSocket(headers) ? AskWebSocket(headers) : Identity::Absent();
  }
  const std::string_view rest = authorization.substr(space + 1);
  const std::string_view token = rest.substr(0, rest.find(' '));
  if (!token.empty()) return Ask(token);
  exchange.context().warnings.push_back(
      "the provided Authorization header contains extra space before the bearer token, and is ignored");
  return Identity::Absent();
}

}  // namespace pipeline
