#include "api/url.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "value/quote.h"

namespace api {
namespace {

using Outcome = std::expected<void, std::string>;
using Text = std::expected<std::string, std::string>;

enum class Part : uint8_t { kPath, kHost, kZone, kUser, kQuery, kFragment };

bool IsAlpha(char c) { return base::IsAlnum(c) && !base::IsDigit(c); }
bool IsHex(char c) { return base::IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsPlain(char c) { return base::IsAlnum(c) || std::string_view("-_.~").contains(c); }
int Digit(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

// What a host may hold unescaped, of ASCII.
bool MayBeInHost(char c) { return IsPlain(c) || std::string_view("!$&'()*+,;=:[]<>\"").contains(c); }
bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// What stands in that part without an escape when an address is written.
bool StaysPlain(char c, Part part) {
  if (IsPlain(c)) return true;
  switch (part) {
    case Part::kHost:
    case Part::kZone:
      return MayBeInHost(c);
    case Part::kPath:
      return std::string_view("$&+,/:;=@").contains(c);
    case Part::kUser:
      return std::string_view("$&+,;=").contains(c);
    case Part::kFragment:
      return std::string_view("$&+,/:;=?@!()*").contains(c);
    case Part::kQuery:
      break;
  }
  return false;
}

Text Unescape(std::string_view text, Part part) {
  const bool in_host = part == Part::kHost || part == Part::kZone;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (in_host && IsAscii(text[i]) && !MayBeInHost(text[i])) {
        return std::unexpected(base::Cat("invalid character ", value::Quote(text.substr(i, 1)), " in host name"));
      }
      out += text[i] == '+' && part == Part::kQuery ? ' ' : text[i];
      continue;
    }
    const std::string_view escape = text.substr(i, 3);
    bool whole = escape.size() == 3 && IsHex(escape[1]) && IsHex(escape[2]);
    const char byte = whole ? static_cast<char>(Digit(escape[1]) * 16 + Digit(escape[2])) : '\0';
    if (whole && escape != "%25") {
      // A host is escaped only for bytes beyond ASCII, and for the % of a zone.
      if (part == Part::kHost) whole = !IsAscii(byte);
      // A zone only for what it might say without an escape, and spaces.
      if (part == Part::kZone) whole = byte == ' ' || MayBeInHost(byte);
    }
    if (!whole) return std::unexpected(base::Cat("invalid URL escape ", value::Quote(escape)));
    out += byte;
    i += 2;
  }
  return out;
}

std::string Escape(std::string_view text, Part part) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (StaysPlain(c, part)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

// `written`, whose escapes are whole, if an address may say it so; else escaped anew.
std::string Escaped(std::string_view written, Part part) {
  const auto stays = [part](char c) { return std::string_view("!$&'()*+,;=:@[]%").contains(c) || StaysPlain(c, part); };
  if (std::ranges::all_of(written, stays)) return std::string(written);
  return Escape(Unescape(written, part).value_or(""), part);
}

// "" or ":" and digits.
bool IsOptionalPort(std::string_view text) {
  return text.empty() ||
         (text.front() == ':' && std::ranges::all_of(text.substr(1), [](char c) { return base::IsDigit(c); }));
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
  if (!IsOptionalPort(port)) return std::unexpected(base::Cat("invalid port ", value::Quote(port), " after host"));
  const size_t zone = host.find("%25");
  if (!host.starts_with('[') || zone >= host.size() - port.size()) return Unescape(host, Part::kHost);
  const size_t zone_end = host.size() - port.size() - 1;
  std::string whole;
  for (const auto& [piece, part] :
       {std::pair(host.substr(0, zone), Part::kHost), std::pair(host.substr(zone, zone_end - zone), Part::kZone),
        std::pair(host.substr(zone_end), Part::kHost)}) {
    const Text unescaped = Unescape(piece, part);
    if (!unescaped) return unescaped;
    whole += *unescaped;
  }
  return whole;
}

Text ParseUser(std::string_view user) {
  const auto allowed = [](char c) { return IsPlain(c) || std::string_view(":!$&'()*+,;=%@").contains(c); };
  if (!std::ranges::all_of(user, allowed)) return std::unexpected("net/url: invalid userinfo");
  const size_t colon = user.find(':');
  Text name = Unescape(user.substr(0, colon), Part::kUser);
  if (!name) return name;
  if (colon == user.npos) return Escape(*name, Part::kUser);
  const Text password = Unescape(user.substr(colon + 1), Part::kUser);
  if (!password) return password;
  return base::Cat(Escape(*name, Part::kUser), ":", Escape(*password, Part::kUser));
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
    const char c = rest[i];
    if (IsAlpha(c)) continue;
    if (base::IsDigit(c) || c == '+' || c == '-' || c == '.') {
      if (i == 0) return {};
      continue;
    }
    if (c != ':') return {};
    if (i == 0) return std::unexpected("missing protocol scheme");
    url.scheme = base::ToLower(rest.substr(0, i));
    rest.remove_prefix(i + 1);
    return {};
  }
  return {};
}

Outcome Parse(std::string_view rest, bool in_request, Url& url) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(rest, control)) return std::unexpected("net/url: invalid control character in URL");
  if (rest.empty() && in_request) return std::unexpected("empty url");
  if (rest == "*") {
    url.path = "*";
    return {};
  }
  if (Outcome taken = TakeScheme(rest, url); !taken) return taken;
  if (const size_t mark = rest.find('?'); mark != rest.npos) {
    url.has_query = true;
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
    url.has_authority = true;
    if (Outcome parsed = ParseAuthority(authority.substr(0, slash), url); !parsed) return parsed;
  }
  url.path = rest;
  const Text path = Unescape(rest, Part::kPath);
  if (!path) return std::unexpected(path.error());
  return {};
}

std::unexpected<std::string> Failure(std::string_view text, std::string_view why) {
  return std::unexpected(base::Cat("parse ", value::Quote(text), ": ", why));
}

// Where the port begins in `host`, with its colon.
size_t PortBegin(std::string_view host) {
  const size_t colon = host.rfind(':');
  return colon != host.npos && IsOptionalPort(host.substr(colon)) ? colon : host.size();
}

}  // namespace

std::string Url::EscapedPath() const { return path == "*" ? path : Escaped(path, Part::kPath); }

std::string_view Url::Hostname() const {
  std::string_view name = std::string_view(host).substr(0, PortBegin(host));
  if (name.size() >= 2 && name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
  return name;
}

std::string_view Url::Port() const {
  const size_t begin = PortBegin(host);
  return begin == host.size() ? std::string_view() : std::string_view(host).substr(begin + 1);
}

std::vector<std::pair<std::string, std::vector<std::string>>> Url::Query() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  if (static_cast<size_t>(std::ranges::count(query, '&')) >= kMostParameters) return values;
  std::unordered_map<std::string, size_t> places;
  for (std::string_view rest = query; !rest.empty();) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty() || pair.contains(';')) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    Text key = Unescape(pair.substr(0, equals), Part::kQuery);
    if (!key) continue;
    Text item = Unescape(pair.substr(std::min(equals + 1, pair.size())), Part::kQuery);
    if (!item) continue;
    const auto [place, added] = places.emplace(*key, values.size());
    if (added) values.emplace_back(*key, std::vector<std::string>());
    values[place->second].second.push_back(*std::move(item));
  }
  return values;
}

std::string Url::text() const {
  std::string out;
  if (!scheme.empty()) base::Append(out, scheme, ":");
  if (!opaque.empty()) {
    out += opaque;
  } else {
    const bool names_host = !host.empty() || user;
    if (names_host || (!scheme.empty() && has_authority && !path.empty())) out += "//";
    if (user) base::Append(out, *user, "@");
    out += Escape(host, Part::kHost);
    const std::string escaped = EscapedPath();
    if (!escaped.empty() && escaped[0] != '/' && !host.empty()) out += '/';
    if (out.empty() && std::string_view(escaped).substr(0, escaped.find('/')).contains(':')) out += "./";
    out += escaped;
  }
  if (has_query) base::Append(out, "?", query);
  if (!fragment.empty()) base::Append(out, "#", Escaped(written_fragment, Part::kFragment));
  return out;
}

std::expected<Url, std::string> ParseUrl(std::string_view text) {
  Url url;
  const size_t hash = text.find('#');
  const std::string_view before = text.substr(0, hash);
  if (const Outcome parsed = Parse(before, false, url); !parsed) return Failure(before, parsed.error());
  if (hash == text.npos) return url;
  url.written_fragment = text.substr(hash + 1);
  Text fragment = Unescape(url.written_fragment, Part::kFragment);
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
