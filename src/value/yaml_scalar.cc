#include "value/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "value/number.h"

namespace value {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

struct Word {
  std::string_view text;
  YamlScalar scalar;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr YamlScalar kTrue{.tag = YamlTag::kBool, .boolean = true};
constexpr YamlScalar kFalse{.tag = YamlTag::kBool};
constexpr YamlScalar kNull{.tag = YamlTag::kNull};
constexpr YamlScalar kNan{.tag = YamlTag::kFloat, .number = kNotANumber};
constexpr YamlScalar kPlusInfinity{.tag = YamlTag::kFloat, .number = kInfinity};
constexpr YamlScalar kMinusInfinity{.tag = YamlTag::kFloat, .number = -kInfinity};

constexpr Word kWords[] = {
    {"y", kTrue},
    {"Y", kTrue},
    {"yes", kTrue},
    {"Yes", kTrue},
    {"YES", kTrue},
    {"true", kTrue},
    {"True", kTrue},
    {"TRUE", kTrue},
    {"on", kTrue},
    {"On", kTrue},
    {"ON", kTrue},
    {"n", kFalse},
    {"N", kFalse},
    {"no", kFalse},
    {"No", kFalse},
    {"NO", kFalse},
    {"false", kFalse},
    {"False", kFalse},
    {"FALSE", kFalse},
    {"off", kFalse},
    {"Off", kFalse},
    {"OFF", kFalse},
    {"", kNull},
    {"~", kNull},
    {"null", kNull},
    {"Null", kNull},
    {"NULL", kNull},
    {".nan", kNan},
    {".NaN", kNan},
    {".NAN", kNan},
    {".inf", kPlusInfinity},
    {".Inf", kPlusInfinity},
    {".INF", kPlusInfinity},
    {"+.inf", kPlusInfinity},
    {"+.Inf", kPlusInfinity},
    {"+.INF", kPlusInfinity},
    {"-.inf", kMinusInfinity},
    {"-.Inf", kMinusInfinity},
    {"-.INF", kMinusInfinity},
};

constexpr size_t kLongestWord = 5;
constexpr int kPlainDigits = 6;  // whole digits that %g shows without an exponent, in its shortest form

// Reads numbers of a date, as Go's time.Parse reads the fields of its layouts.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  // Between `least` and `most` digits.
  bool Number(size_t least, size_t most, int& out) {
    size_t digits = 0;
    out = 0;
    while (digits < most && digits < rest_.size() && IsDigit(rest_[digits])) out = out * 10 + (rest_[digits++] - '0');
    rest_.remove_prefix(digits);
    return digits >= least;
  }
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void SkipFraction() {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !IsDigit(rest_[1])) return;
    rest_.remove_prefix(1);
    while (!rest_.empty() && IsDigit(rest_[0])) rest_.remove_prefix(1);
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

int DaysOf(int year, int month) {
  static constexpr std::array<int, 13> kDays = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[static_cast<size_t>(month)];
}

bool TimeOfDay(DateReader& in) {
  int hour = 0, minute = 0, second = 0;
  if (!in.Number(1, 2, hour) || !in.Take(':') || !in.Number(1, 2, minute) || !in.Take(':') || !in.Number(1, 2, second))
    return false;
  if (hour > 23 || minute > 59 || second > 59) return false;
  in.SkipFraction();
  return true;
}

bool Zone(DateReader& in) {
  if (in.Take('Z')) return in.done();
  int hour = 0, minute = 0;
  return (in.Take('+') || in.Take('-')) && in.Number(2, 2, hour) && in.Take(':') && in.Number(2, 2, minute) &&
         in.done() && hour <= 24 && minute < 60;
}

bool IsTimestamp(std::string_view text) {
  DateReader in(text);
  int year = 0, month = 0, day = 0;
  if (!in.Number(4, 4, year) || !in.Take('-') || !in.Number(1, 2, month) || !in.Take('-') || !in.Number(1, 2, day))
    return false;
  if (month < 1 || month > 12 || day < 1 || day > DaysOf(year, month)) return false;
  if (in.done()) return true;
  if (in.Take('T') || in.Take('t')) return TimeOfDay(in) && Zone(in);
  return in.Take(' ') && TimeOfDay(in) && in.done();
}

// Digits of `base` and nothing else, with an optional sign, as strconv.ParseInt takes them. Where int64 does not hold
// it: kUint if it has no sign and uint64 does, nullopt otherwise.
std::optional<YamlScalar> WholeNumber(std::string_view text, int base) {
  bool sign = text.starts_with('-') || text.starts_with('+');
  std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  if (text.starts_with("+-") || digits.empty()) return std::nullopt;
  const char* end = digits.data() + digits.size();
  YamlScalar out{.tag = YamlTag::kInt};
  auto [stop, error] = std::from_chars(digits.data(), end, out.integer, base);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc()) return out;
  out.tag = YamlTag::kUint;
  if (sign || std::from_chars(digits.data(), end, out.natural, base).ec != std::errc()) return std::nullopt;
  return out;
}

// A number with its base in its prefix: 0x1F, 0o17, 017, 0b11, 12.
std::optional<YamlScalar> PrefixedNumber(std::string_view text) {
  std::string_view sign = text.substr(0, text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  std::string_view digits = text.substr(sign.size());
  int base = 10;
  size_t prefix = 0;
  if (digits.size() > 1 && digits[0] == '0') {
    char letter = static_cast<char>(digits[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    prefix = base != 8 || letter == 'o' ? 2 : 1;
  }
  digits.remove_prefix(prefix);
  if (digits.empty() || digits[0] == '-' || digits[0] == '+') return std::nullopt;
  return WholeNumber(std::string(sign).append(digits), base);
}

// [-+]? (.digits | digits [. digits?]) ([eE] [-+]? digits)?
bool LooksLikeFloat(std::string_view text) {
  size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  auto digits = [&] {
    size_t begin = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return at > begin;
  };
  bool whole = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!digits() && !whole) return false;
  } else if (!whole) {
    return false;
  }
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (!digits()) return false;
  }
  return at == text.size();
}

std::optional<YamlScalar> Float(std::string_view text) {
  if (!LooksLikeFloat(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = ParseDouble(text);
  if (std::isinf(number)) return std::nullopt;
  return YamlScalar{.tag = YamlTag::kFloat, .number = number};
}

std::optional<YamlScalar> Number(std::string_view text) {
  std::string without;
  if (text.contains('_')) {
    without = text;
    std::erase(without, '_');
    text = without;
  }
  if (auto number = PrefixedNumber(text)) return number;
  if (auto number = Float(text)) return number;
  // What Go's parser leaves over of binary numbers: a sign behind the prefix.
  if (text.starts_with("0b")) return WholeNumber(text.substr(2), 2);
  return std::nullopt;
}

// Shortest scientific text to Go's %g: plain from 1e-4 on and below 10^`plain_digits`, an exponent of two digits
// otherwise.
std::string ToGeneral(std::string_view scientific, int plain_digits) {
  size_t e = scientific.find('e');
  std::string_view mantissa = scientific.substr(0, e);
  int exponent = 0;
  std::string_view power = scientific.substr(e + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  std::string out(mantissa.starts_with('-') ? "-" : "");
  std::string digits;
  for (char c : mantissa) {
    if (IsDigit(c)) digits += c;
  }
  int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= plain_digits) {
    out += digits[0];
    if (count > 1) out.append(".").append(digits, 1);
    out += exponent < 0 ? "e-" : "e+";
    int magnitude = std::abs(exponent);
    if (magnitude < 10) out += '0';
    return out + std::to_string(magnitude);
  }
  if (exponent < 0) return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (exponent + 1 >= count) return out + digits + std::string(static_cast<size_t>(exponent + 1 - count), '0');
  return out + digits.substr(0, static_cast<size_t>(exponent + 1)) + "." +
         digits.substr(static_cast<size_t>(exponent + 1));
}

template <class T>
std::string FormatGeneral(T number, int plain_digits) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number > 0 ? ".inf" : "-.inf";
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::scientific).ptr;
  return ToGeneral({buffer, static_cast<size_t>(end - buffer)}, plain_digits);
}

}  // namespace

YamlScalar ResolveYaml(std::string_view text, bool timestamps) {
  if (text.size() <= kLongestWord) {
    auto word = std::ranges::find(kWords, text, &Word::text);
    if (word != std::end(kWords)) return word->scalar;
  }
  char first = text.empty() ? '\0' : text[0];
  std::optional<YamlScalar> number;
  if (first == '.') {
    number = Float(text);
  } else if (IsDigit(first) || first == '-' || first == '+') {
    if (timestamps && IsTimestamp(text)) return {.tag = YamlTag::kTimestamp};
    number = Number(text);
  }
  return number.value_or(YamlScalar{});
}

std::string_view ShortTag(YamlTag tag) {
  switch (tag) {
    case YamlTag::kString:
      return "!!str";
    case YamlTag::kBool:
      return "!!bool";
    case YamlTag::kInt:
    case YamlTag::kUint:
      return "!!int";
    case YamlTag::kFloat:
      return "!!float";
    case YamlTag::kNull:
      return "!!null";
    case YamlTag::kTimestamp:
      return "!!timestamp";
  }
  return "";
}

std::string FormatYamlFloat(double number) { return FormatGeneral(number, kPlainDigits); }
std::string FormatYamlFloat32(double number) { return FormatGeneral(static_cast<float>(number), kPlainDigits); }

}  // namespace value
