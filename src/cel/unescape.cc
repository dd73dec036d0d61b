#include "cel/unescape.h"

#include <cstdint>

#include "value/utf8.h"

namespace cel {
namespace {

constexpr std::string_view kCannot = "unable to unescape string";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The escape sequence at the front of `rest` (after the backslash) into `out`.
std::string_view OneEscape(std::string_view& rest, bool bytes, std::string& out) {
  char c = rest[0];
  rest.remove_prefix(1);
  static constexpr std::string_view kNames = "abfnrtv\\'\"`?";
  static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"`?";
  if (size_t at = kNames.find(c); at != std::string_view::npos) {
    out += kMeanings[at];
    return {};
  }
  uint32_t value = 0;
  if (c >= '0' && c <= '3') {
    if (rest.size() < 2) return "unable to unescape octal sequence in string";
    value = static_cast<uint32_t>(c - '0');
    for (char digit : rest.substr(0, 2)) {
      if (digit < '0' || digit > '7') return "unable to unescape octal sequence in string";
      value = value * 8 + static_cast<uint32_t>(digit - '0');
    }
    rest.remove_prefix(2);
  } else {
    size_t count = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (count == 0 || rest.size() < count || (bytes && count > 2)) return kCannot;
    for (char digit : rest.substr(0, count)) {
      int number = HexDigit(digit);
      if (number < 0) return kCannot;
      value = value << 4 | static_cast<uint32_t>(number);
    }
    rest.remove_prefix(count);
    if (!bytes && value > 0x10FFFF) return kCannot;
  }
  if (bytes) {
    out += static_cast<char>(value);
  } else {
    value::AppendRune(out, value >= 0xD800 && value < 0xE000 ? value::kReplacementRune : value);
  }
  return {};
}

}  // namespace

std::string_view Unescape(std::string_view literal, bool bytes, std::string& text) {
  bool raw = literal.starts_with('r') || literal.starts_with('R');
  if (raw) literal.remove_prefix(1);
  size_t quotes = literal.size() >= 6 && (literal.starts_with("'''") || literal.starts_with("\"\"\"")) ? 3 : 1;
  if (literal.size() < 2 * quotes) return kCannot;
  std::string_view rest = literal.substr(quotes, literal.size() - 2 * quotes);
  text.clear();
  text.reserve(rest.size());
  while (!rest.empty()) {
    char c = rest[0];
    rest.remove_prefix(1);
    if (c == '\r') {  // every line ends with \n
      if (rest.starts_with('\n')) rest.remove_prefix(1);
      c = '\n';
    }
    if (c != '\\' || raw) {
      text += c;
      continue;
    }
    if (rest.empty()) return "unable to unescape string, found '\\' as last character";
    if (std::string_view error = OneEscape(rest, bytes, text); !error.empty()) return error;
  }
  return {};
}

}  // namespace cel
