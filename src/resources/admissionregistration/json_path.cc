#include "resources/admissionregistration/json_path.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "absl/strings/ascii.h"
#include "base/text.h"

namespace resources::admissionregistration {
namespace {

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
// Letters beyond ASCII count as letters.
bool IsWord(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '_' || absl::ascii_isalnum(byte) || byte >= 0x80;
}
bool EndsWord(char c) { return std::string_view(" \t\r\n.,[]$@{}").contains(c); }

bool IsInteger(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Digits behind an optional sign; "" too.
bool IsPosition(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return std::ranges::all_of(text, IsDigit);
}

// Up to three positions with colons between them: "1", "1:", "-2::2".
bool IsSlice(std::string_view text) {
  for (int part = 0;; ++part) {
    const size_t colon = text.find(':');
    if (part == 3 || !IsPosition(text.substr(0, colon))) return false;
    if (colon == text.npos) return true;
    text.remove_prefix(colon + 1);
  }
}

std::string_view TrimBlanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  // Text up to a brace, then what is inside, and so on.
  std::string Read() {
    std::string complaint;
    for (size_t brace = rest_.find('{'); brace != rest_.npos && complaint.empty(); brace = rest_.find('{')) {
      rest_.remove_prefix(brace + 1);
      complaint = ReadInside();
    }
    return complaint;
  }

 private:
  std::string ReadInside() {
    bool descended = false;
    while (true) {
      if (rest_.starts_with('}')) {
        rest_.remove_prefix(1);
        return {};
      }
      std::string complaint;
      if (rest_.starts_with("..")) {
        if (descended) return "invalid multiple recursive descent";
        descended = true;
        rest_.remove_prefix(2);
        if (!rest_.empty() && IsWord(rest_.front())) SkipField();
        if (!rest_.starts_with("..")) descended = false;
        continue;
      }
      if (rest_.starts_with("[?(")) {
        complaint = ReadFilter();
      } else if (rest_.empty() || rest_.front() == '\r' || rest_.front() == '\n') {
        return "unclosed action";
      } else {
        complaint = ReadStep();
      }
      if (!complaint.empty()) return complaint;
    }
  }

  std::string ReadStep() {
    const char c = rest_.front();
    if (IsDigit(c) || c == '+' || c == '-') return ReadNumber();
    if (IsWord(c)) {
      SkipField();
      return {};
    }
    rest_.remove_prefix(1);
    if (c == ' ' || c == '@' || c == '$') return {};
    if (c == '[') return ReadArray();
    if (c == '"' || c == '\'') return ReadQuote(c);
    if (c != '.') {
      char code[16];
      std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      return base::Cat("unrecognized character in action: ", code, " '", std::string(1, c), "'");
    }
    SkipField();
    return {};
  }

  void SkipField() {
    size_t at = 0;
    while (at < rest_.size() && !EndsWord(rest_[at])) at += rest_[at] == '\\' ? 2 : 1;
    rest_.remove_prefix(std::min(at, rest_.size()));
  }

  std::string ReadNumber() {
    size_t at = 1;
    while (at < rest_.size() && (IsDigit(rest_[at]) || rest_[at] == '.')) ++at;
    const std::string_view number = rest_.substr(0, at);
    rest_.remove_prefix(at);
    const bool has_digit = std::ranges::any_of(number, IsDigit);
    if (IsInteger(number) || (has_digit && std::ranges::count(number, '.') <= 1)) return {};
    return base::Cat("cannot parse number ", number);
  }

  std::string ReadQuote(char quote) {
    for (size_t at = 0; at < rest_.size() && rest_[at] != '\n'; ++at) {
      if (rest_[at] != quote || (at > 0 && rest_[at - 1] == '\\')) continue;
      rest_.remove_prefix(at + 1);
      return {};
    }
    return "unterminated quoted string";
  }

  std::string ReadArray() {
    const size_t end = rest_.find_first_of("]\n");
    if (end == rest_.npos || rest_[end] == '\n') return "unterminated array";
    const std::string_view index = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return IndexComplaint(index);
  }

  static std::string IndexComplaint(std::string_view index) {
    if (index == "*") return {};
    if (index.contains(',')) {
      for (std::string_view rest = index;;) {
        const size_t comma = rest.find(',');
        std::string complaint = JsonPathComplaint(base::Cat("{[", TrimBlanks(rest.substr(0, comma)), "]}"));
        if (!complaint.empty() || comma == rest.npos) return complaint;
        rest.remove_prefix(comma + 1);
      }
    }
    const bool quoted = index.size() >= 2 && index.front() == '\'' && index.back() == '\'' &&
                        !index.substr(1, index.size() - 2).contains('\'');
    if (quoted) return JsonPathComplaint(base::Cat("{.", index.substr(1, index.size() - 2), "}"));
    return IsSlice(index) ? "" : base::Cat("invalid array index ", index);
  }

  // "[?(left op right)]" or "[?(text)]"; a parenthesis inside quotes does not close it.
  std::string ReadFilter() {
    rest_.remove_prefix(3);
    bool opened = false, closed = false;
    char quote = 0;
    size_t at = 0;
    for (;; ++at) {
      if (at == rest_.size() || rest_[at] == '\n') return "unterminated filter";
      const char c = rest_[at];
      if (c == '"' || c == '\'') {
        if (!opened) {
          opened = true;
          quote = c;
        } else if (c == quote && rest_[at - 1] != '\\') {
          closed = true;
        }
      } else if (c == ')' && opened == closed) {
        break;
      }
    }
    const std::string_view text = rest_.substr(0, at);
    rest_.remove_prefix(at + 1);
    if (!rest_.starts_with(']')) return "unclosed array expect ]";
    rest_.remove_prefix(1);
    return FilterComplaint(text);
  }

  static std::string FilterComplaint(std::string_view text) {
    constexpr std::string_view kOperators = "!<>=";
    const size_t begin = text.find_first_of(kOperators);
    const size_t end = begin == text.npos ? text.npos : text.find_first_not_of(kOperators, begin);
    if (begin == text.npos || begin == 0 || end == text.npos) return JsonPathComplaint(base::Cat("{", text, "}"));
    std::string complaint = JsonPathComplaint(base::Cat("{", text.substr(0, begin), "}"));
    return complaint.empty() ? JsonPathComplaint(base::Cat("{", text.substr(end), "}")) : complaint;
  }

  std::string_view rest_;
};

}  // namespace

std::string JsonPathComplaint(std::string_view text) { return Reader(text).Read(); }

}  // namespace resources::admissionregistration
