#include "api/url.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "api/quote.h"
#include "base/text.h"

namespace api {
namespace {

using Outcome = std::expected<void, std::string>;
using Text = std::expected<std::string, std::string>;

enum class Part : uint8_t { kPath, kHost, kUser, kFragment };

bool IsHex(char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); }
bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || std::string_view("-_.~").contains(c);
}
int Digit(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

// What a host may hold unescaped.
bool MayBeInHost(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || IsPlain(c) || std::string_view("!$&'()*+,;=:[]<>\"").contains(c);
}

Text Unescape(std::string_view text, Part part) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (part == Part::kHost && !MayBeInHost(text[i])) {
        return std::unexpected(base::Cat("invalid character ", api::Quote(text.substr(i, 1)), " in host name"));
      }
      out += text[i];
      continue;
    }
    const std::string_view escape = text.substr(i, 3);
    const bool whole = escape.size() == 3 && IsHex(escape[1]) && IsHex(escape[2]);
    // A host is escaped only for bytes beyond ASCII, and for the % of a zone.
    if (!whole || (part == Part::kHost && Digit(escape[1]) < 8 && escape != "%25")) {
      return std::unexpected(base::Cat("invalid URL escape ", api::Quote(escape)));
    }
    out += static_cast<char>(Digit(escape[1]) * 16 + Digit(escape[2]));
    i += 2;
  }
  return out;
}

std::string EscapeUser(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsPlain(c) || std::string_view("$&+,;=").contains(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

// "" or ":" and digits.
bool IsOptionalPort(std::string_view text) {
  return text.empty() || (text.front() == ':' && std::ranges::all_of(text.substr(1), [](char c) {
                            return absl::ascii_isdigit(static_cast<unsigned char>(c));
                          }));
}

Text ParseHost(std::string_view host) {
  std::string_view port;
  if (host.starts_with('[')) {
    const size_t end = host.rfind(']');
    if (end == host.npos) return std::unexpected("missing ']' in host");
    port = host.substr(end + 1);
  } else if (const size_t colon = host.rfind(':'); colon != host.npos) {
    port = host.substr(colon);
  }
  if (!IsOptionalPort(port)) return std::unexpected(base::Cat("invalid port ", api::Quote(port), " after host"));
  return Unescape(host, Part::kHost);
}

Text ParseUser(std::string_view user) {
  const auto allowed = [](char c) { return IsPlain(c) || std::string_view(":!$&'()*+,;=%@").contains(c); };
  if (!std::ranges::all_of(user, allowed)) return std::unexpected("net/url: invalid userinfo");
  const size_t colon = user.find(':');
  Text name = Unescape(user.substr(0, colon), Part::kUser);
  if (!name) return name;
  if (colon == user.npos) return EscapeUser(*name);
  const Text password = Unescape(user.substr(colon + 1), Part::kUser);
  if (!password) return password;
  return base::Cat(EscapeUser(*name), ":", EscapeUser(*password));
}

Outcome ParseAuthority(std::string_view authority, Url& url) {
  const size_t at = authority.rfind('@');
  Text host = ParseHost(at == authority.npos ? authority : authority.substr(at + 1));
  if (!host) return std::unexpected(std::move(host.error()));
  url.host = *std::move(host);
  if (at == authority.npos) return {};
  Text user = ParseUser(authority.substr(0, at));
  if (!user) return std::unexpected(std::move(user.error()));
  url.user = *std::move(user);
  return {};
}

// Takes the scheme and its colon off `rest`; where there is none, nothing.
Outcome TakeScheme(std::string_view& rest, Url& url) {
  for (size_t i = 0; i < rest.size(); ++i) {
    const auto c = static_cast<unsigned char>(rest[i]);
    if (absl::ascii_isalpha(c)) continue;
    if (absl::ascii_isdigit(c) || c == '+' || c == '-' || c == '.') {
      if (i == 0) return {};
      continue;
    }
    if (c != ':') return {};
    if (i == 0) return std::unexpected("missing protocol scheme");
    url.scheme = absl::AsciiStrToLower(std::string(rest.substr(0, i)));
    rest.remove_prefix(i + 1);
    return {};
  }
  return {};
}

Outcome Parse(std::string_view rest, bool in_request, Url& url) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(rest, control)) return std::unexpected("net/url: invalid control character in URL");
  if (rest.empty() && in_request) return std::unexpected("empty url");
  if (rest == "*") return {};
  if (Outcome taken = TakeScheme(rest, url); !taken) return taken;
  if (const size_t mark = rest.find('?'); mark != rest.npos) {
    url.query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  if (!rest.starts_with('/')) {
    if (!url.scheme.empty()) {
      url.opaque = rest;
      return {};
    }
    if (in_request) return std::unexpected("invalid URI for request");
    if (rest.substr(0, rest.find('/')).contains(':')) {
      return std::unexpected("first path segment in URL cannot contain colon");
    }
  }
  const bool may_have_host = !url.scheme.empty() || (!in_request && !rest.starts_with("///"));
  if (may_have_host && rest.starts_with("//")) {
    std::string_view authority = rest.substr(2);
    const size_t slash = std::min(authority.find('/'), authority.size());
    rest = authority.substr(slash);
    if (Outcome parsed = ParseAuthority(authority.substr(0, slash), url); !parsed) return parsed;
  }
  const Text path = Unescape(rest, Part::kPath);
  if (!path) return std::unexpected(path.error());
  return {};
}

std::unexpected<std::string> Failure(std::string_view text, std::string_view why) {
  return std::unexpected(base::Cat("parse ", api::Quote(text), ": ", why));
}

}  // namespace

std::expected<Url, std::string> ParseUrl(std::string_view text) {
  Url url;
  const size_t hash = text.find('#');
  const std::string_view before = text.substr(0, hash);
  if (const Outcome parsed = Parse(before, false, url); !parsed) return Failure(before, parsed.error());
  if (hash == text.npos) return url;
  Text fragment = Unescape(text.substr(hash + 1), Part::kFragment);
  if (!fragment) return Failure(text, fragment.error());
  url.fragment = *std::move(fragment);
  return url;
}

std::expected<Url, std::string> ParseRequestUri(std::string_view text) {
  Url url;
  if (const Outcome parsed = Parse(text, true, url); !parsed) return Failure(text, parsed.error());
  return url;
}

}  // namespace api
