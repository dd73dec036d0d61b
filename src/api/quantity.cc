#include "api/quantity.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "api/quote.h"
#include "api/request.h"
#include "base/text.h"

namespace api {
namespace {

using Format = Quantity::Format;

constexpr std::string_view kFormatWrong =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kNumberWrong = "unable to parse numeric part of quantity";
constexpr std::string_view kSuffixWrong = "unable to parse quantity's suffix";

constexpr int kInt64Digits = 18;  // decimal digits that always fit
constexpr int32_t kNano = -9;     // the finest unit; anything finer is rounded up to it
constexpr std::string_view kMaxInt64Text = "9223372036854775807";

struct Suffix {
  std::string_view text;
  Format format;
  int32_t exponent;  // of 10, of 2 for kBinarySi
};
constexpr Suffix kSuffixes[] = {
    {"", Format::kDecimalSi, 0},   {"n", Format::kDecimalSi, -9}, {"u", Format::kDecimalSi, -6},
    {"m", Format::kDecimalSi, -3}, {"k", Format::kDecimalSi, 3},  {"M", Format::kDecimalSi, 6},
    {"G", Format::kDecimalSi, 9},  {"T", Format::kDecimalSi, 12}, {"P", Format::kDecimalSi, 15},
    {"E", Format::kDecimalSi, 18}, {"Ki", Format::kBinarySi, 10}, {"Mi", Format::kBinarySi, 20},
    {"Gi", Format::kBinarySi, 30}, {"Ti", Format::kBinarySi, 40}, {"Pi", Format::kBinarySi, 50},
    {"Ei", Format::kBinarySi, 60},
};

std::optional<Suffix> FindSuffix(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text == text) return suffix;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  const std::optional<int64_t> exponent = ParseInt64(text.substr(1));
  if (!exponent) return std::nullopt;
  return Suffix{text, Format::kDecimalExponent, static_cast<int32_t>(*exponent)};
}

// The suffix of a power; none for one that has no name.
std::string SuffixText(Format format, int64_t exponent) {
  if (format == Format::kDecimalExponent) return exponent == 0 ? "" : base::Cat("e", exponent);
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.format == format && suffix.exponent == exponent) return std::string(suffix.text);
  }
  return "";
}

struct Scanned {
  bool negative = false;
  std::string_view number;    // sign, digits and point as written
  std::string_view whole;     // digits before the point without leading zeros, "0" if none are left
  std::string_view fraction;  // digits behind it
  std::string_view suffix;
};

size_t SkipDigits(std::string_view text, size_t at) {
  while (at < text.size() && base::IsDigit(text[at])) ++at;
  return at;
}

std::optional<Scanned> Scan(std::string_view text) {
  Scanned scanned;
  size_t at = 0;
  if (text[0] == '-' || text[0] == '+') {
    scanned.negative = text[0] == '-';
    at = 1;
  }
  while (at < text.size() && text[at] == '0') ++at;
  size_t end = SkipDigits(text, at);
  scanned.whole = end > at ? text.substr(at, end - at) : "0";
  at = end;
  if (at < text.size() && text[at] == '.') {
    end = SkipDigits(text, at + 1);
    scanned.fraction = text.substr(at + 1, end - at - 1);
    at = end;
  }
  scanned.number = text.substr(0, at);
  scanned.suffix = text.substr(at);
  while (at < text.size() && std::string_view("eEinumkKMGTP").contains(text[at])) ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  if (SkipDigits(text, at) != text.size()) return std::nullopt;
  return scanned;
}

bool MultiplyByPowerOfTen(int64_t& value, int64_t power) {
  for (int64_t i = 0; i < power && value != 0; ++i) {
    if (__builtin_mul_overflow(value, int64_t{10}, &value)) return false;
  }
  return true;
}

// Divides by 10^power, away from zero. False if digits were lost.
bool DivideByPowerOfTen(int64_t& value, int64_t power) {
  bool exact = true;
  const int64_t sign = value < 0 ? -1 : 1;
  for (int64_t i = 0; i < power && value != 0; ++i) {
    exact = exact && value % 10 == 0;
    value /= 10;
  }
  if (!exact) value += sign;
  return exact;
}

// value * 10^power modulo 2^64.
int64_t LowBits(uint64_t value, int64_t power) {
  // 10^64 is 0 modulo 2^64: more steps change nothing.
  for (int64_t i = 0; i < std::min<int64_t>(power, 64); ++i) value *= 10;
  return static_cast<int64_t>(value);
}

// As Go's math.Pow10: both factors are the nearest doubles.
double PowerOfTen(int64_t exponent) {
  if (exponent < -323) return 0;
  if (exponent > 308) return std::numeric_limits<double>::infinity();
  const auto nearest = [](int64_t power) { return std::strtod(base::Cat("1e", power).c_str(), nullptr); };
  const int64_t rest = std::abs(exponent) % 32;
  return exponent < 0 ? nearest(exponent + rest) / nearest(rest) : nearest(exponent - rest) * nearest(rest);
}

}  // namespace

std::expected<Quantity, std::string_view> Quantity::Parse(std::string_view text) {
  if (text.empty()) return std::unexpected(kFormatWrong);
  const std::optional<Scanned> scanned = Scan(text);
  if (!scanned) return std::unexpected(kFormatWrong);
  const std::optional<Suffix> suffix = FindSuffix(scanned->suffix);
  if (!suffix) return std::unexpected(kSuffixWrong);

  const bool binary = suffix->format == Format::kBinarySi;
  const int digits = static_cast<int>(std::min<size_t>(scanned->whole.size() + scanned->fraction.size(), 1000));
  const int room =
      binary ? (scanned->fraction.empty() ? 14 - digits - suffix->exponent * 3 / 10 : -1) : kInt64Digits - digits;
  const int64_t scale = binary ? 0 : int64_t{suffix->exponent} - static_cast<int64_t>(scanned->fraction.size());
  if (room < 0 || scale < kNano) return ParseLarge(scanned->number, suffix->exponent, suffix->format);

  int64_t value = 0;
  for (std::string_view part : {scanned->whole, scanned->fraction}) {
    for (char c : part) value = value * 10 + (c - '0');
  }
  Quantity quantity = Of(value, suffix->format, static_cast<int32_t>(scale));
  if (binary) quantity.value_ = value << suffix->exponent;
  if (scanned->negative) quantity.value_ = -quantity.value_;
  // What is in canonical form already is kept as written.
  const bool canonical =
      binary ? (value & 7) != 0 : scale % 3 == 0 && scanned->whole[0] != '0' && (value % 1000 != 0 || digits < 3);
  if (canonical || text == "0") quantity.written_ = text;
  return quantity;
}

std::expected<Quantity, std::string_view> Quantity::ParseLarge(std::string_view number, int32_t exponent,
                                                               Format format) {
  if (std::none_of(number.begin(), number.end(), base::IsDigit)) return std::unexpected(kNumberWrong);
  Decimal amount = ParseDecimal(number, false);
  if (format == Format::kBinarySi) {
    MultiplyByPowerOfTwo(amount.digits, exponent);
  } else {
    amount.exponent += exponent;
  }
  bool exact = true;
  RoundAway(amount, kNano, exact);
  // Amounts this large are counted in nano-units: ScaledDecimal() depends on it.
  if (amount.exponent > kNano && amount.exponent <= kMaxDigits) {
    amount.digits.append(amount.digits.empty() ? 0 : static_cast<size_t>(amount.exponent - kNano), '0');
    amount.exponent = kNano;
  }
  if (format == Format::kBinarySi) {
    const Decimal most{false, std::string(kMaxInt64Text), 0};
    if (CompareMagnitude(amount, most) > 0) amount = most;
    const Decimal one{false, "1", 0};
    if (!amount.digits.empty() && CompareMagnitude(amount, one) < 0) format = Format::kDecimalSi;
  }
  amount.negative = number[0] == '-';
  Quantity quantity;
  quantity.format_ = format;
  quantity.large_ = std::move(amount);
  return quantity;
}

Quantity Quantity::Of(int64_t value, Format format, int32_t scale) {
  Quantity quantity;
  quantity.value_ = value;
  quantity.scale_ = scale;
  quantity.format_ = format;
  return quantity;
}

Quantity::Decimal Quantity::ParseDecimal(std::string_view text, bool negative) {
  Decimal decimal{negative, "", 0};
  bool fraction = false;
  for (char c : text) {
    if (c == '.') fraction = true;
    if (!base::IsDigit(c)) continue;
    if (c != '0' || !decimal.digits.empty()) decimal.digits += c;
    if (fraction) --decimal.exponent;
  }
  return decimal;
}

Quantity::Decimal Quantity::AsDecimal() const {
  if (large_) return *large_;
  Decimal decimal{value_ < 0, "", scale_};
  if (value_ != 0) {
    const uint64_t magnitude = value_ < 0 ? uint64_t{0} - static_cast<uint64_t>(value_) : static_cast<uint64_t>(value_);
    decimal.digits = base::Cat(magnitude);
  }
  return decimal;
}

// Cuts digits below 10^exponent; what was cut raises the magnitude by one unit.
void Quantity::RoundAway(Decimal& decimal, int64_t exponent, bool& exact) {
  exact = true;
  if (decimal.exponent >= exponent || decimal.digits.empty()) return;
  const int64_t cut = exponent - decimal.exponent;
  decimal.exponent = exponent;
  if (cut >= static_cast<int64_t>(decimal.digits.size())) {
    decimal.digits = "1";
    exact = false;
    return;
  }
  const size_t keep = decimal.digits.size() - static_cast<size_t>(cut);
  exact = decimal.digits.find_first_not_of('0', keep) == std::string::npos;
  decimal.digits.resize(keep);
  if (exact) return;
  size_t at = keep;
  while (at > 0 && decimal.digits[at - 1] == '9') decimal.digits[--at] = '0';
  if (at > 0) {
    ++decimal.digits[at - 1];
  } else {
    decimal.digits.insert(decimal.digits.begin(), '1');
  }
}

int Quantity::CompareMagnitude(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty())
    return static_cast<int>(!a.digits.empty()) - static_cast<int>(!b.digits.empty());
  const int64_t top_a = static_cast<int64_t>(a.digits.size()) + a.exponent;
  const int64_t top_b = static_cast<int64_t>(b.digits.size()) + b.exponent;
  if (top_a != top_b) return top_a < top_b ? -1 : 1;
  for (size_t i = 0; i < std::max(a.digits.size(), b.digits.size()); ++i) {
    const char digit_a = i < a.digits.size() ? a.digits[i] : '0';
    const char digit_b = i < b.digits.size() ? b.digits[i] : '0';
    if (digit_a != digit_b) return digit_a < digit_b ? -1 : 1;
  }
  return 0;
}

Quantity::Decimal Quantity::Sum(const Decimal& a, const Decimal& b) {
  if (a.digits.empty()) return b;
  if (b.digits.empty()) return a;
  const bool a_is_larger = CompareMagnitude(a, b) >= 0;
  const Decimal& large = a_is_larger ? a : b;
  const Decimal& small = a_is_larger ? b : a;
  const int64_t exponent = std::min(large.exponent, small.exponent);
  const int64_t top = static_cast<int64_t>(large.digits.size()) + large.exponent;
  if (top - exponent > kMaxDigits) return large;

  std::string sum = large.digits;
  sum.append(static_cast<size_t>(large.exponent - exponent), '0');
  std::string addend = small.digits;
  addend.append(static_cast<size_t>(small.exponent - exponent), '0');
  addend.insert(0, sum.size() - addend.size(), '0');
  const int sign = large.negative == small.negative ? 1 : -1;
  int carry = 0;
  for (size_t i = sum.size(); i-- > 0;) {
    const int digit = (sum[i] - '0') + sign * (addend[i] - '0') + carry;
    carry = digit > 9 ? 1 : digit < 0 ? -1 : 0;
    sum[i] = static_cast<char>('0' + digit - 10 * carry);
  }
  if (carry > 0) sum.insert(sum.begin(), '1');
  sum.erase(0, std::min(sum.find_first_not_of('0'), sum.size()));
  return {large.negative, std::move(sum), exponent};
}

void Quantity::MultiplyByPowerOfTwo(std::string& digits, int power) {
  unsigned __int128 carry = 0;
  for (size_t i = digits.size(); i-- > 0;) {
    carry += static_cast<unsigned __int128>(digits[i] - '0') << power;
    digits[i] = static_cast<char>('0' + static_cast<int>(carry % 10));
    carry /= 10;
  }
  std::string front;
  for (; carry != 0; carry /= 10) front += static_cast<char>('0' + static_cast<int>(carry % 10));
  std::reverse(front.begin(), front.end());
  digits.insert(0, front);
}

// False, and nothing changes, if 1024 is no factor.
bool Quantity::DivideBy1024(std::string& digits) {
  std::string quotient;
  quotient.reserve(digits.size());
  int rest = 0;
  for (char c : digits) {
    rest = rest * 10 + (c - '0');
    if (!quotient.empty() || rest >= 1024) quotient += static_cast<char>('0' + rest / 1024);
    rest %= 1024;
  }
  if (rest != 0) return false;
  digits = std::move(quotient);
  return true;
}

std::string Quantity::DecimalText(Decimal decimal, Format format) {
  const size_t last = decimal.digits.find_last_not_of('0');
  decimal.exponent += static_cast<int64_t>(decimal.digits.size() - last - 1);
  decimal.digits.resize(last + 1);
  for (; decimal.exponent % 3 != 0; --decimal.exponent) decimal.digits += '0';
  return base::Cat(decimal.negative ? "-" : "", decimal.digits, SuffixText(format, decimal.exponent));
}

std::string Quantity::BinaryText(Decimal decimal) {
  decimal.digits.append(static_cast<size_t>(std::max<int64_t>(decimal.exponent, 0)), '0');
  int power = 0;
  while (DivideBy1024(decimal.digits)) power += 10;
  return base::Cat(decimal.negative ? "-" : "", decimal.digits, SuffixText(Format::kBinarySi, power));
}

std::string Quantity::text() const {
  if (!written_.empty()) return written_;
  if (IsZero()) return "0";
  Decimal decimal = AsDecimal();
  if (format_ != Format::kBinarySi) return DecimalText(std::move(decimal), format_);
  // Small or broken amounts would lose digits as a multiple of 1024.
  const Decimal limit{false, "1024", 0};
  Decimal rounded = decimal;
  bool exact = true;
  RoundAway(rounded, 0, exact);
  const bool printable = static_cast<int64_t>(rounded.digits.size()) + rounded.exponent <= kMaxDigits;
  if (!exact || !printable || CompareMagnitude(decimal, limit) < 0) {
    return DecimalText(std::move(decimal), Format::kDecimalSi);
  }
  return BinaryText(std::move(rounded));
}

int Quantity::Sign() const {
  if (large_) return large_->digits.empty() ? 0 : large_->negative ? -1 : 1;
  return (value_ > 0) - (value_ < 0);
}

std::string Quantity::GoText(bool printed_before) const {
  constexpr std::string_view kFormats[] = {"DecimalSI", "BinarySI", "DecimalExponent"};
  // A number that is no int64 is held by reference there; which address it has says nothing.
  return base::Cat("resource.Quantity{i:resource.int64Amount{value:", large_ ? 0 : value_,
                   ", scale:", large_ ? 0 : scale_, "}, d:resource.infDecAmount{Dec:(*inf.Dec)(",
                   large_ ? "0xc000000000" : "nil", ")}, s:", Quote(printed_before ? text() : written_),
                   ", Format:", Quote(kFormats[static_cast<size_t>(format_)]), "}");
}

Quantity::Held Quantity::held() const {
  if (!large_) return {value_, scale_, {}, written_};
  if (large_->digits.empty()) return {0, 0, "0", {}};
  std::string number = large_->digits;
  const auto places = static_cast<size_t>(std::max<int64_t>(-large_->exponent, 0));
  if (number.size() <= places) number.insert(0, places + 1 - number.size(), '0');
  if (places > 0) number.insert(number.size() - places, ".");
  return {0, 0, base::Cat(large_->negative ? "-" : "", number), {}};
}

int Quantity::Compare(const Quantity& other) const {
  if (!large_ && !other.large_ && scale_ == other.scale_) return (value_ > other.value_) - (value_ < other.value_);
  const int sign = Sign(), other_sign = other.Sign();
  if (sign != other_sign) return sign < other_sign ? -1 : 1;
  return sign * CompareMagnitude(AsDecimal(), other.AsDecimal());
}

void Quantity::Add(const Quantity& other) { AddSigned(other, false); }
void Quantity::Sub(const Quantity& other) { AddSigned(other, true); }

void Quantity::AddSigned(const Quantity& other, bool subtract) {
  written_.clear();
  if (IsZero()) format_ = other.format_;
  if (!large_ && !other.large_) {
    if (other.value_ == 0) return;
    int64_t mine = value_, theirs = other.value_, sum = 0;
    // To take the least number away is to add it, for the real server.
    if (theirs == std::numeric_limits<int64_t>::min()) subtract = false;
    const int64_t scale = value_ == 0 ? other.scale_ : std::min(scale_, other.scale_);
    if (MultiplyByPowerOfTen(mine, scale_ - scale) && MultiplyByPowerOfTen(theirs, other.scale_ - scale) &&
        !(subtract ? __builtin_sub_overflow(mine, theirs, &sum) : __builtin_add_overflow(mine, theirs, &sum))) {
      value_ = sum;
      scale_ = static_cast<int32_t>(scale);
      return;
    }
  }
  Decimal addend = other.AsDecimal();
  if (subtract) addend.negative = !addend.negative;
  large_ = Sum(AsDecimal(), addend);
}

void Quantity::Negate() {
  written_.clear();
  if (!large_ && value_ == std::numeric_limits<int64_t>::min()) large_ = AsDecimal();
  if (large_) {
    large_->negative = !large_->negative;
  } else {
    value_ = -value_;
  }
}

bool Quantity::RoundUp(int32_t scale) {
  bool exact = true;
  if (large_) {
    RoundAway(*large_, scale, exact);
  } else if (scale_ < scale) {
    written_.clear();
    exact = DivideByPowerOfTen(value_, int64_t{scale} - scale_);
    scale_ = scale;
  }
  return exact;
}

std::optional<int64_t> Quantity::AsInt64() const {
  int64_t value = value_;
  if (large_ || scale_ < 0 || !MultiplyByPowerOfTen(value, scale_)) return std::nullopt;
  return value;
}

int64_t Quantity::ScaledValue(int32_t scale) const {
  if (large_) return ScaledDecimal(*large_, scale);
  int64_t value = value_;
  if (scale_ < scale) {
    DivideByPowerOfTen(value, int64_t{scale} - scale_);
    return value;
  }
  const int64_t power = int64_t{scale_} - scale;
  if (MultiplyByPowerOfTen(value, power)) return value;
  // Too large: the real server's arithmetic wraps for the powers between neighbouring suffixes and gives 0 for others.
  const bool wraps = power <= 3 || power == 6 || power == 9;
  return wraps && value_ != std::numeric_limits<int64_t>::min() ? LowBits(static_cast<uint64_t>(value_), power) : 0;
}

// Arithmetic modulo 2^64, as the real server has it: clients can see what comes out beyond int64, and that a negative
// amount with a fraction comes out one too high.
int64_t Quantity::ScaledDecimal(const Decimal& decimal, int32_t scale) {
  const int64_t cut = std::max<int64_t>(scale - decimal.exponent, 0);
  const bool wraps_first = decimal.negative && cut <= kInt64Digits;
  const size_t dropped =
      wraps_first ? 0 : static_cast<size_t>(std::min<int64_t>(cut, static_cast<int64_t>(decimal.digits.size())));
  const std::string_view kept = std::string_view(decimal.digits).substr(0, decimal.digits.size() - dropped);
  uint64_t bits = 0;
  for (char c : kept) bits = bits * 10 + static_cast<uint64_t>(c - '0');
  if (decimal.negative) bits = uint64_t{0} - bits;
  int64_t value = LowBits(bits, std::max<int64_t>(decimal.exponent - scale, 0));
  bool fraction = !decimal.negative && decimal.digits.find_first_not_of('0', kept.size()) != std::string::npos;
  for (int64_t i = 0; wraps_first && i < cut; ++i) {
    fraction = fraction || value % 10 != 0;
    value /= 10;
  }
  return value + (fraction ? 1 : 0);
}

double Quantity::AsDouble() const {
  // The digits as the nearest double, times the power of ten as one: Go rounds twice, too.
  const Decimal decimal = AsDecimal();
  const double digits = decimal.digits.empty() ? 0.0 : std::strtod(decimal.digits.c_str(), nullptr);
  const double signed_digits = decimal.negative ? -digits : digits;
  return decimal.exponent == 0 ? signed_digits : signed_digits * PowerOfTen(decimal.exponent);
}

}  // namespace api
