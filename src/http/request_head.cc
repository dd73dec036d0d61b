#include "http/request_head.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace http {
namespace {

// Which bytes a token and a Host field may hold.
struct Bytes {
  std::array<bool, 256> is{};
  constexpr explicit Bytes(std::string_view marks) {
    for (int c = 0; c < 256; ++c) {
      is[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
    for (char c : marks) is[static_cast<unsigned char>(c)] = true;
  }
  constexpr bool All(std::string_view text) const {
    return std::ranges::all_of(text, [this](char c) { return is[static_cast<unsigned char>(c)]; });
  }
};
constexpr Bytes kToken("!#$%&'*+-.^_`|~");
constexpr Bytes kTokenOrSpace("!#$%&'*+-.^_`|~ ");
constexpr Bytes kHost("!$%&'()*+,-.:;=[]_~@");
constexpr Bytes kScheme("+-.");

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool WellEscaped(std::string_view path) {
  for (size_t at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 3)) {
    if (at + 2 >= path.size() || !IsHex(path[at + 1]) || !IsHex(path[at + 2])) return false;
  }
  return true;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool EqualNoCase(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, Lower, Lower); }

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  size_t from = text.find_first_not_of(kSpace);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

// One line of `rest` without its end, LF or CRLF.
std::string_view TakeLine(std::string_view& rest) {
  size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool HasToken(const exchange::Headers& headers, std::string_view name, std::string_view token) {
  for (const auto& [field, value] : headers.fields()) {
    if (field != name) continue;
    for (std::string_view rest = value; !rest.empty();) {
      size_t comma = std::min(rest.find(','), rest.size());
      if (EqualNoCase(Trim(rest.substr(0, comma)), token)) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

std::optional<HeadError> ParseRequestLine(std::string_view line, RequestHead& out) {
  size_t first = line.find(' ');
  size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return HeadError{};
  std::string_view method = line.substr(0, first), version = line.substr(second + 1);
  std::string_view target = line.substr(first + 1, second - first - 1);
  if (!IsToken(method)) return HeadError{};
  bool well_formed = version.size() == 8 && version.starts_with("HTTP/") && version[6] == '.' && version[5] >= '0' &&
                     version[5] <= '9' && version[7] >= '0' && version[7] <= '9';
  if (!well_formed) return HeadError{};
  out.request.method = method;
  out.request.http_major = version[5] - '0';
  out.minor = version[7] - '0';
  if (method == "CONNECT" && !target.starts_with('/')) {  // an authority alone
    out.request.authority = target;
    return IsHost(target) ? std::nullopt : std::optional<HeadError>(HeadError{});
  }
  return ParseTarget(target, out.request) ? std::nullopt : std::optional<HeadError>(HeadError{});
}

// The fields up to the empty line. A line that starts with a space goes on with the field before it.
std::optional<HeadError> ParseFields(std::string_view rest, exchange::Headers& headers) {
  if (rest.starts_with(' ') || rest.starts_with('\t')) return HeadError{};
  while (!rest.empty()) {
    std::string_view line = TakeLine(rest);
    if (line.empty()) break;
    size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return HeadError{};
    std::string_view name = line.substr(0, colon);
    if (!kTokenOrSpace.All(name)) return HeadError{};
    if (!IsToken(name)) return HeadError{400, "invalid header name"};
    std::string value(Trim(line.substr(colon + 1)));
    while (rest.starts_with(' ') || rest.starts_with('\t')) {
      value += ' ';
      value += Trim(TakeLine(rest));
    }
    if (!IsFieldValue(value)) return HeadError{};
    std::string key(name);
    std::ranges::transform(key, key.begin(), Lower);
    headers.Add(std::move(key), std::move(value));
  }
  return std::nullopt;
}

std::optional<HeadError> ReadHost(RequestHead& out) {
  auto hosts = out.request.headers.All("host");
  if (hosts.size() > 1) return HeadError{};
  if (hosts.empty() && out.minor >= 1 && out.request.method != "CONNECT") {
    return HeadError{400, "missing required Host header"};
  }
  if (!hosts.empty()) {
    if (!IsHost(hosts[0])) return HeadError{400, "malformed Host header"};
    if (out.request.authority.empty()) out.request.authority = hosts[0];
    out.request.headers.Remove("host");
  }
  return std::nullopt;
}

std::optional<HeadError> ReadFraming(RequestHead& out) {
  exchange::Headers& headers = out.request.headers;
  auto encodings = headers.All("transfer-encoding");
  if (!encodings.empty() && out.minor >= 1) {
    if (encodings.size() != 1 || !EqualNoCase(encodings[0], "chunked")) {
      return HeadError{501, "Unsupported transfer encoding"};
    }
    out.chunked = true;
  }
  std::string_view length;
  for (std::string_view value : headers.All("content-length")) {
    if (!length.empty() && value != length) return HeadError{};
    length = value;
    uint64_t number = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (value.empty() || error != std::errc() || end != value.data() + value.size() || number > INT64_MAX) {
      return HeadError{};
    }
    out.content_length = number;
  }
  if (out.chunked) {  // wins over a length
    out.content_length.reset();
    headers.Remove("content-length");
  }
  headers.Remove("transfer-encoding");
  return std::nullopt;
}

}  // namespace

size_t FindHeadEnd(std::string_view bytes, size_t& scanned) {
  for (size_t at = scanned; (at = bytes.find('\n', at)) != std::string_view::npos; ++at) {
    if (at + 1 < bytes.size() && bytes[at + 1] == '\n') return at + 2;
    if (at + 2 < bytes.size() && bytes[at + 1] == '\r' && bytes[at + 2] == '\n') return at + 3;
    if (at + 2 >= bytes.size()) {  // the end may still come: look here again
      scanned = at;
      return std::string_view::npos;
    }
  }
  scanned = bytes.size();
  return std::string_view::npos;
}

bool PlausibleStart(std::string_view bytes) {
  if (bytes.find('\n') == std::string_view::npos) return true;
  RequestHead ignored;
  return !ParseRequestLine(TakeLine(bytes), ignored);
}

std::optional<HeadError> ParseRequestHead(std::string_view head, RequestHead& out) {
  std::string_view rest = head;
  if (auto error = ParseRequestLine(TakeLine(rest), out)) return error;
  if (auto error = ParseFields(rest, out.request.headers)) return error;
  if (out.request.http_major != 1) return HeadError{505, "unsupported protocol version"};
  if (auto error = ReadHost(out)) return error;
  if (auto error = ReadFraming(out)) return error;
  const exchange::Headers& headers = out.request.headers;
  bool close = HasToken(headers, "connection", "close");
  out.keep_alive_10 = out.minor == 0 && HasToken(headers, "connection", "keep-alive") && !close;
  out.close = close || (out.minor == 0 && !out.keep_alive_10);
  out.expects_continue = HasToken(headers, "expect", "100-continue");
  out.unknown_expectation = !out.expects_continue && !headers.Get("expect").empty();
  return std::nullopt;
}

bool ParseTarget(std::string_view target, exchange::Request& request) {
  bool has_control = std::ranges::any_of(target, [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (target.empty() || has_control) return false;
  if (target == "*") {
    request.path = "*";
    return true;
  }
  size_t question = target.find('?');
  std::string_view path = target.substr(0, question);
  if (question != std::string_view::npos) request.raw_query = target.substr(question + 1);
  if (!path.starts_with('/')) {  // absolute form
    size_t colon = path.find(':');
    if (colon == std::string_view::npos || colon == 0 || !kScheme.All(path.substr(0, colon))) return false;
    if (path[0] < 'A') return false;
    path.remove_prefix(colon + 1);
    if (!path.starts_with('/')) return true;  // opaque: no path
    if (path.starts_with("//")) {
      path.remove_prefix(2);
      std::string_view authority = path.substr(0, path.find('/'));
      path.remove_prefix(authority.size());
      if (!IsHost(authority)) return false;
      request.authority = authority.substr(authority.rfind('@') + 1);
    }
  }
  if (!WellEscaped(path)) return false;
  request.path = path;
  return true;
}

bool IsToken(std::string_view text) { return !text.empty() && kToken.All(text); }

bool IsFieldValue(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; });
}

bool IsHost(std::string_view text) { return kHost.All(text); }

std::string_view StatusText(int status) {
  struct Name {
    int status;
    std::string_view text;
  };
  static constexpr Name kNames[] = {{100, "Continue"},
                                    {101, "Switching Protocols"},
                                    {200, "OK"},
                                    {201, "Created"},
                                    {202, "Accepted"},
                                    {203, "Non-Authoritative Information"},
                                    {204, "No Content"},
                                    {206, "Partial Content"},
                                    {301, "Moved Permanently"},
                                    {302, "Found"},
                                    {303, "See Other"},
                                    {304, "Not Modified"},
                                    {307, "Temporary Redirect"},
                                    {308, "Permanent Redirect"},
                                    {400, "Bad Request"},
                                    {401, "Unauthorized"},
                                    {403, "Forbidden"},
                                    {404, "Not Found"},
                                    {405, "Method Not Allowed"},
                                    {406, "Not Acceptable"},
                                    {408, "Request Timeout"},
                                    {409, "Conflict"},
                                    {410, "Gone"},
                                    {412, "Precondition Failed"},
                                    {413, "Request Entity Too Large"},
                                    {415, "Unsupported Media Type"},
                                    {417, "Expectation Failed"},
                                    {422, "Unprocessable Entity"},
                                    {428, "Precondition Required"},
                                    {429, "Too Many Requests"},
                                    {431, "Request Header Fields Too Large"},
                                    {500, "Internal Server Error"},
                                    {501, "Not Implemented"},
                                    {502, "Bad Gateway"},
                                    {503, "Service Unavailable"},
                                    {504, "Gateway Timeout"},
                                    {505, "HTTP Version Not Supported"},
                                    {507, "Insufficient Storage"}};
  auto found = std::ranges::find(kNames, status, &Name::status);
  return found == std::end(kNames) ? std::string_view() : found->text;
}

}  // namespace http
