#include "api/value_formats.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>

#include "api/duration.h"
#include "api/email_address.h"
#include "api/ip_address.h"
#include "api/regexp.h"
#include "api/url.h"
#include "base/text.h"

namespace api {
namespace {

// Of an expression that is one.
Regexp Compiled(std::string_view pattern) { return Regexp::Compile(pattern).value(); }

using base::IsDigit;
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool AllDigits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsDigit); }
bool AllHex(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsHex); }
int Number(std::string_view digits) {
  int number = 0;
  for (char c : digits) number = number * 10 + (c - '0');
  return number;
}

bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const std::string_view year = text.substr(0, 4), month = text.substr(5, 2), day = text.substr(8);
  if (!AllDigits(year) || !AllDigits(month) || !AllDigits(day)) return false;
  const int y = Number(year), m = Number(month), d = Number(day);
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (m < 1 || m > 12) return false;
  const bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
  return d >= 1 && d <= kDays[m - 1] + (m == 2 && leap ? 1 : 0);
}

// "z", "+hh:mm", whatever the digits say.
bool IsZone(std::string_view text) {
  if (text == "z") return true;
  return text.size() == 6 && (text[0] == '+' || text[0] == '-') && AllDigits(text.substr(1, 2)) && text[3] == ':' &&
         AllDigits(text.substr(4));
}

bool IsDateTime(std::string_view text) {
  const std::string lower = base::ToLower(text);
  const size_t t = lower.find('t');
  if (t == lower.npos || !IsDate(std::string_view(lower).substr(0, t))) return false;
  std::string_view time = std::string_view(lower).substr(t + 1);
  time = time.substr(0, time.find('t'));
  if (time.size() < 9 || time[2] != ':' || time[5] != ':') return false;
  const std::string_view hour = time.substr(0, 2), minute = time.substr(3, 2), second = time.substr(6, 2);
  if (!AllDigits(hour) || !AllDigits(minute) || !AllDigits(second)) return false;
  if (hour > "23" || minute > "59" || second > "59") return false;
  std::string_view rest = time.substr(8);
  if (IsZone(rest)) return true;
  // A fraction, behind any one character.
  size_t digits = 1;
  while (digits < rest.size() && IsDigit(rest[digits])) ++digits;
  return digits > 1 && IsZone(rest.substr(digits));
}

// "3 days 2 hours": what Go does not read may be said in words.
bool IsDuration(std::string_view text) {
  if (ParseDuration(text)) return true;
  constexpr std::string_view kExact[] = {"ns", "us", "\u00b5s", "ms", "s", "m", "h", "hr", "d", "w", "wk"};
  constexpr std::string_view kBegin[] = {"nano", "micro", "milli", "sec", "min", "hour", "day", "week"};
  for (size_t at = 0; at < text.size();) {
    if (!IsDigit(text[at])) {
      ++at;
      continue;
    }
    while (at < text.size() && IsDigit(text[at])) ++at;
    while (at < text.size() && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r' && text[at] != '\v'))) ++at;
    size_t end = at;
    while (end < text.size() &&
           (std::isalpha(static_cast<unsigned char>(text[end])) != 0 || text[end] == '\xc2' || text[end] == '\xb5')) {
      ++end;
    }
    const std::string unit = base::ToLower(text.substr(at, end - at));
    if (std::ranges::find(kExact, unit) != std::end(kExact)) return true;
    if (std::ranges::any_of(kBegin, [&](std::string_view begin) { return unit.starts_with(begin); })) return true;
    at = end;
  }
  return false;
}

bool IsIpv4(std::string_view text) { return text.contains('.') && IpAddress::ParseLoosely(text).has_value(); }
bool IsIpv6(std::string_view text) { return text.contains(':') && IpAddress::ParseLoosely(text).has_value(); }
bool IsCidr(std::string_view text) { return IpPrefix::ParseLoosely(text).has_value(); }

// Pairs of hexadecimal digits between colons or dashes, or fours between dots: 6, 8 or 20 bytes.
bool IsMac(std::string_view text) {
  if (text.size() < 14) return false;
  const bool dots = text[4] == '.';
  const size_t group = dots ? 4 : 2;
  const char between = text[group];
  if (!dots && between != ':' && between != '-') return false;
  if ((text.size() + 1) % (group + 1) != 0) return false;
  const size_t bytes = (text.size() + 1) / (group + 1) * (group / 2);
  if (bytes != 6 && bytes != 8 && bytes != 20) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool separates = i % (group + 1) == group;
    if (separates ? text[i] != between : !IsHex(text[i])) return false;
  }
  return true;
}

// 32 digits, with dashes where those of UUIDs stand or without any of them. `version` is the digit that says it, '\0'
// any; `variant` whether the next group begins with 8 to b.
bool IsUuid(std::string_view text, char version, bool variant) {
  constexpr size_t kGroups[] = {8, 4, 4, 4, 12};
  for (size_t i = 0; i < std::size(kGroups); ++i) {
    if (i > 0 && text.starts_with('-')) text.remove_prefix(1);
    if (text.size() < kGroups[i] || !AllHex(text.substr(0, kGroups[i]))) return false;
    if (i == 2 && version != '\0' && text.front() != version) return false;
    if (i == 3 && variant && !std::string_view("89abAB").contains(text.front())) return false;
    text.remove_prefix(kGroups[i]);
  }
  return text.empty();
}

bool IsBase64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  while (text.size() % 4 != 2 && text.ends_with('=')) text.remove_suffix(1);
  return std::ranges::all_of(
      text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/'; });
}

std::string WithoutAll(std::string_view text, std::string_view unwanted) {
  std::string kept;
  for (char c : text) {
    if (!unwanted.contains(c)) kept += c;
  }
  return kept;
}

bool IsIsbn10(std::string_view text) {
  const std::string digits = WithoutAll(text, " -\t\n\f\r");
  if (digits.size() != 10 || !AllDigits(std::string_view(digits).substr(0, 9))) return false;
  int sum = 0;
  for (int i = 0; i < 9; ++i) sum += (i + 1) * (digits[static_cast<size_t>(i)] - '0');
  if (digits[9] == 'X') return (sum + 100) % 11 == 0;
  return IsDigit(digits[9]) && (sum + 10 * (digits[9] - '0')) % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  const std::string digits = WithoutAll(text, " -\t\n\f\r");
  if (digits.size() != 13 || !AllDigits(digits)) return false;
  int sum = 0;
  for (size_t i = 0; i < 12; ++i) sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
  return (digits[12] - '0' - (10 - sum % 10) % 10) == 0;
}

bool IsHexColor(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  return (text.size() == 3 || text.size() == 6) && AllHex(text);
}

bool IsSocialNumber(std::string_view text) {
  if (text.size() != 11 || !AllDigits(text.substr(0, 3)) || !AllDigits(text.substr(4, 2)) ||
      !AllDigits(text.substr(7))) {
    return false;
  }
  const auto separates = [](char c) { return c == '-' || c == ' '; };
  return separates(text[3]) && separates(text[6]);
}

// Numbers of cards of the great issuers, whatever stands between the digits; the last digit proves the others.
bool IsCreditCard(std::string_view text) {
  static const Regexp issued = Compiled(
      R"(^(4\d{12}(\d{3})?|5[1-5]\d{14}|6(011|5\d\d)\d{12}|3[47]\d{13}|3(0[0-5]|[68]\d)\d{11}|(2131|1800|35\d{3})\d{11})$)");
  std::string digits(text);
  std::erase_if(digits, [](char c) { return !IsDigit(c); });
  if (!issued.IsIn(digits)) return false;
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const int digit = digits[digits.size() - 1 - i] - '0';
    const int counted = i % 2 == 0 ? digit : digit * 2;
    sum += counted / 10 + counted % 10;
  }
  return sum % 10 == 0;
}

// rgb(255, 0, 10)
bool IsRgbColor(std::string_view text) {
  static const Regexp color = [] {
    constexpr std::string_view kPart = R"(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*)";
    return Compiled(base::Cat(R"(^rgb\()", kPart, ",", kPart, ",", kPart, R"(\)$)"));
  }();
  return color.IsIn(text);
}

// One label, or labels and a domain of letters. Letters and symbols of all scripts pass.
bool IsHostname(std::string_view text) {
  static const Regexp name = [] {
    constexpr std::string_view kLetter = R"([a-zA-Z0-9\p{S}\p{L}])", kInner = R"([a-zA-Z0-9\-\p{S}\p{L}])";
    return Compiled(base::Cat("^(", kLetter, "(-?", kLetter, "{0,62})?|(", kLetter, "(", kInner, "{0,61}", kLetter,
                              R"()?\.)+[a-zA-Z\p{L}]{2,63})$)"));
  }();
  if (text.size() > 255 || !name.IsIn(text)) return false;
  while (true) {
    const size_t dot = std::min(text.find('.'), text.size());
    if (dot > 63) return false;
    if (dot == text.size()) return true;
    text.remove_prefix(dot + 1);
  }
}

struct Format {
  std::string_view name;
  bool (*has)(std::string_view text);
};
constexpr Format kFormats[] = {
    {"bsonobjectid", [](std::string_view text) { return text.size() == 24 && AllHex(text); }},
    {"byte", IsBase64},
    {"cidr", IsCidr},
    {"creditcard", IsCreditCard},
    {"date", IsDate},
    {"datetime", IsDateTime},
    {"duration", IsDuration},
    {"email", IsEmailAddress},
    {"hexcolor", IsHexColor},
    {"hostname", IsHostname},
    {"ipv4", IsIpv4},
    {"ipv6", IsIpv6},
    {"isbn", [](std::string_view text) { return IsIsbn10(text) || IsIsbn13(text); }},
    {"isbn10", IsIsbn10},
    {"isbn13", IsIsbn13},
    {"mac", IsMac},
    {"password", [](std::string_view) { return true; }},
    {"rgbcolor", IsRgbColor},
    {"ssn", IsSocialNumber},
    {"uri", [](std::string_view text) { return ParseRequestUri(text).has_value(); }},
    {"uuid", [](std::string_view text) { return IsUuid(text, '\0', false); }},
    {"uuid3", [](std::string_view text) { return IsUuid(text, '3', false); }},
    {"uuid4", [](std::string_view text) { return IsUuid(text, '4', true); }},
    {"uuid5", [](std::string_view text) { return IsUuid(text, '5', true); }},
};

const Format* FindFormat(std::string_view name) {
  const std::string plain = WithoutAll(name, "-");
  const auto found = std::ranges::find(kFormats, plain, &Format::name);
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace

bool IsKnownFormat(std::string_view format) { return FindFormat(format) != nullptr; }

bool HasFormat(std::string_view format, std::string_view text) { return FindFormat(format)->has(text); }

}  // namespace api
