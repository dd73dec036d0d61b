#include "cel/library/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/text.h"

namespace cel::library {
namespace {

using base::IsDigit;
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
bool IsHex(char c) { return IsDigit(c) || (Lower(c) >= 'a' && Lower(c) <= 'f'); }

// Underscores stand between digits, or between the prefix of a base and a digit. `number` has no sign.
bool UnderscoresFit(std::string_view number) {
  bool hexadecimal = false, after_digit = false, after_underscore = false;
  if (number.size() >= 2 && number[0] == '0' && std::string_view("box").contains(Lower(number[1]))) {
    hexadecimal = Lower(number[1]) == 'x';
    after_digit = true;
    number.remove_prefix(2);
  }
  for (const char c : number) {
    if (c == '_') {
      if (!after_digit) return false;
      after_underscore = true;
      after_digit = false;
    } else if (IsDigit(c) || (hexadecimal && IsHex(c))) {
      after_digit = true;
      after_underscore = false;
    } else {
      if (after_underscore) return false;
      after_digit = false;
    }
  }
  return !after_underscore;
}

// Digits with at most one point, an exponent where the base asks for it: `number` as a whole, without its prefix.
bool IsFloat(std::string_view number, bool hexadecimal) {
  size_t at = 0, digits = 0, points = 0;
  for (; at < number.size(); ++at) {
    if (number[at] == '.') {
      if (++points > 1) return false;
    } else if (hexadecimal ? IsHex(number[at]) : IsDigit(number[at])) {
      ++digits;
    } else {
      break;
    }
  }
  if (digits == 0) return false;
  if (at == number.size()) return !hexadecimal;
  if (Lower(number[at]) != (hexadecimal ? 'p' : 'e')) return false;
  ++at;
  if (at < number.size() && (number[at] == '+' || number[at] == '-')) ++at;
  return at < number.size() && std::ranges::all_of(number.substr(at), IsDigit);
}

// The digits of a finite double that is not negative, and where its point stands: 0.DIGITS * 10^point.
struct Digits {
  std::array<char, 32> buffer;
  std::string_view text;
  int point = 0;
};
void ShortestDigits(double d, Digits& digits) {
  std::array<char, 40> made;
  const char* end = std::to_chars(made.data(), made.data() + made.size(), d, std::chars_format::scientific).ptr;
  const char* exponent = std::find<const char*>(made.data(), end, 'e');
  size_t size = 0;
  for (const char* c = made.data(); c != exponent; ++c) {
    if (*c != '.') digits.buffer[size++] = *c;
  }
  digits.text = {digits.buffer.data(), size};
  std::from_chars(exponent + (exponent[1] == '+' ? 2 : 1), end, digits.point);
  ++digits.point;
}

// The special texts; empty for a finite number.
std::string_view Special(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d < 0 ? "-Inf" : "+Inf";
  return {};
}

void AppendPlain(std::string& out, const Digits& digits) {
  const auto point = static_cast<size_t>(std::max(digits.point, 0));
  if (point == 0) {
    out += "0.";
    out.append(static_cast<size_t>(-digits.point), '0');
    out += digits.text;
  } else if (point >= digits.text.size()) {
    out += digits.text;
    out.append(point - digits.text.size(), '0');
  } else {
    base::Append(out, digits.text.substr(0, point), ".", digits.text.substr(point));
  }
}

}  // namespace

bool ParseInt(std::string_view text, int64_t& number) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseUint(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseDouble(std::string_view text, double& number) {
  const bool negative = text.starts_with('-');
  std::string_view rest = text;
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (base::EqualsIgnoreCase(rest, "inf") || base::EqualsIgnoreCase(rest, "infinity")) {
    number = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return true;
  }
  if (base::EqualsIgnoreCase(text, "nan")) {
    number = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  std::string plain;
  if (rest.contains('_')) {
    if (!UnderscoresFit(rest)) return false;
    plain = rest;
    std::erase(plain, '_');
    rest = plain;
  }
  const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
  if (hexadecimal) rest.remove_prefix(2);
  if (!IsFloat(rest, hexadecimal)) return false;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number,
                                            hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (error == std::errc::result_out_of_range) {
    // Too small for any double is 0; too large is no number.
    const std::string terminated = base::Cat(hexadecimal ? "0x" : "", rest);
    number = std::strtod(terminated.c_str(), nullptr);
    if (std::isinf(number)) return false;
  } else if (error != std::errc()) {
    return false;
  }
  if (negative) number = -number;
  return true;
}

bool ParseBool(std::string_view text, bool& truth) {
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return truth = true;
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) {
      truth = false;
      return true;
    }
  }
  return false;
}

std::string FormatDouble(double d) {
  if (const std::string_view special = Special(d); !special.empty()) return std::string(special);
  std::string out = std::signbit(d) ? "-" : "";
  if (d == 0) return out + "0";
  Digits digits;
  ShortestDigits(std::fabs(d), digits);
  const int exponent = digits.point - 1;
  if (exponent >= -4 && exponent < 6) {
    AppendPlain(out, digits);
    return out;
  }
  out += digits.text[0];
  if (digits.text.size() > 1) base::Append(out, ".", digits.text.substr(1));
  const int magnitude = std::abs(exponent);
  base::Append(out, exponent < 0 ? "e-" : "e+", magnitude < 10 ? "0" : "", magnitude);
  return out;
}

std::string FormatPlain(double d) {
  if (const std::string_view special = Special(d); !special.empty()) return std::string(special);
  std::string out = std::signbit(d) ? "-" : "";
  if (d == 0) return out + "0";
  Digits digits;
  ShortestDigits(std::fabs(d), digits);
  AppendPlain(out, digits);
  return out;
}

std::string FormatFixed(double d, int decimals) {
  if (const std::string_view special = Special(d); !special.empty()) return std::string(special);
  std::string out(static_cast<size_t>(decimals) + 330, '\0');
  const auto [end, error] = std::to_chars(out.data(), out.data() + out.size(), d, std::chars_format::fixed, decimals);
  out.resize(static_cast<size_t>(end - out.data()));
  return out;
}

}  // namespace cel::library
