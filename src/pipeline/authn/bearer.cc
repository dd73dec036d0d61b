#include "pipeline/authn/bearer.h"

#include <optional>
#include <string>

#include "base/text.h"

namespace pipeline {
namespace {

constexpr std::string_view kProtocolPrefix = "base64url.bearer.authorization.k8s.io.";

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (char c : text) {
    uint32_t digit = 0;
    if (c >= 'A' && c <= 'Z') {
      digit = static_cast<uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      digit = static_cast<uint32_t>(c - 'a') + 26;
    } else if (base::IsDigit(c)) {
      digit = static_cast<uint32_t>(c - '0') + 52;
    } else if (c == '-' || c == '_') {
      digit = c == '-' ? 62 : 63;
    } else {
      return std::nullopt;
    }
    bits = bits << 6 | digit;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes += static_cast<char>(bits >> held & 0xFF);
    }
  }
  if (held >= 6) return std::nullopt;
  return bytes;
}

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
      token = DecodeBase64Url(protocol.substr(kProtocolPrefix.size()));
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
