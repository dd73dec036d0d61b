#include "server/serving_flags.h"

#include <algorithm>
#include <cstdlib>
#include <expected>
#include <string_view>

#include "api/regexp_syntax.h"
#include "base/text.h"
#include "pipeline/cors.h"
#include "value/quote.h"

namespace server {
namespace {

using base::Cat;

constexpr double kMostGoaway = 0.02;
constexpr std::string_view kNoDirective =
    "--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. "
    "see https://tools.ietf.org/html/rfc6797#section-6.1 for more information";

std::vector<std::string> Parts(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    parts.emplace_back(base::TrimSpace(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

// "certificate,key" or "certificate,key:name,name".
std::expected<http::NamedCertificate, std::string> ReadNamed(std::string_view text) {
  http::NamedCertificate named;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view names = base::TrimSpace(text.substr(colon + 1));
    if (names.empty()) return std::unexpected("empty names list is not allowed");
    named.names = Parts(names, ',');
    text = text.substr(0, colon);
  }
  std::vector<std::string> files = Parts(text, ',');
  if (files.size() != 2) return std::unexpected("expected comma separated certificate and key file paths");
  named.files = {std::move(files[0]), std::move(files[1])};
  return named;
}

// Why a pattern for origins is none; "" for one that is.
std::string OriginError(const std::string& pattern) {
  if (pattern.empty()) return "empty value in --cors-allowed-origins";
  std::string why;
  if (auto error = api::RegexpError(pattern)) {
    why = *std::move(error);
  } else if (auto parsed = pipeline::AllowedOrigins::Parse({pattern}); !parsed) {
    why = parsed.error().message;
  } else {
    const auto has = [&](std::string_view mark) { return pattern.find(mark) != std::string::npos; };
    if ((has("^") || has("//")) && (has("$") || has(":"))) return "";
    why = "regular expression does not pin to start/end of host in the origin header";
  }
  return Cat("--cors-allowed-origins has an invalid regular expression: ", why);
}

std::string DirectiveError(const std::string& directive) {
  if (base::TrimSpace(directive).empty()) return "empty value in strict-transport-security-directives";
  if (directive == "includeSubDomains" || directive == "preload") return "";
  const bool is_age = directive.starts_with("max-age=") && std::ranges::count(directive, '=') == 1;
  return is_age ? "" : std::string(kNoDirective);
}

// HTTP/2 asks for one of two suites: Go refuses to serve it without.
bool LacksHttp2Suite(const http::TlsParameters& tls) {
  if (!tls.http2 || tls.cipher_suites.empty() || tls.min_version >= TLS1_3_VERSION) return false;
  return std::ranges::none_of(tls.cipher_suites, [](const std::string& suite) {
    return suite == "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" || suite == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
  });
}

}  // namespace

std::vector<std::string> TakeServingFlags(const FlagValues& flags, Options& options) {
  std::vector<std::string> complaints;
  const auto complain = [&complaints](std::string text) {
    if (!text.empty()) complaints.push_back(std::move(text));
  };
  if (flags.IsSet("tls-sni-cert-key")) {
    for (const std::string& text : flags.List("tls-sni-cert-key")) {
      auto named = ReadNamed(text);
      if (named) {
        options.named_certificates.push_back(*std::move(named));
      } else {
        complain(Cat("invalid argument ", value::Quote(text), " for \"--tls-sni-cert-key\" flag: ", named.error()));
      }
    }
  }
  if (LacksHttp2Suite(options.tls)) {
    complain(
        "error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required AES_128_GCM_SHA256 "
        "cipher "
        "(need at least one of TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256)");
  }
  options.share_port = flags.Bool("permit-port-sharing");
  const double chance = std::strtod(std::string(flags.Text("goaway-chance")).c_str(), nullptr);
  if (!(chance >= 0 && chance <= kMostGoaway)) complain("--goaway-chance can not be less than 0 or greater than 0.02");
  options.connection_headers.goaway_chance = options.tls.http2 ? chance : 0;
  const std::vector<std::string> directives = flags.List("strict-transport-security-directives");
  for (const std::string& directive : directives) complain(DirectiveError(directive));
  options.connection_headers.strict_transport_security = base::Join(directives, "; ");
  options.allowed_origins = flags.List("cors-allowed-origins");
  for (const std::string& pattern : options.allowed_origins) complain(OriginError(pattern));
  const std::chrono::nanoseconds watches = flags.Duration("shutdown-watch-termination-grace-period");
  if (watches.count() < 0)
    complain("shutdown-watch-termination-grace-period, if provided, can not be a negative value");
  options.shutdown_watch_grace = watches;
  options.drain = {.send_retry_after = flags.Bool("shutdown-send-retry-after"), .refuse_watches = watches.count() > 0};
  return complaints;
}

std::string_view RetentionFlag(const FlagValues& flags) {
  for (std::string_view name : {"history-retention", "history", "etcd-compaction-interval"}) {
    if (flags.IsSet(name)) return name;
  }
  return "history-retention";
}

}  // namespace server
