// Numbers: arithmetic that notices when it leaves a kind's range, conversions between kinds and texts, and comparison
// across kinds, all as cel-go 0.22 does them and in its words. Pure; any thread. Only texts allocate.
#pragma once

#include <cmath>
#include <cstdint>
#include <expected>
#include <limits>
#include <string>
#include <string_view>

namespace cel::library {

inline constexpr std::string_view kIntOverflow = "integer overflow";
inline constexpr std::string_view kUintOverflow = "unsigned integer overflow";
inline constexpr std::string_view kDivisionByZero = "division by zero";
inline constexpr std::string_view kModulusByZero = "modulus by zero";
inline constexpr std::string_view kNanIsUnordered = "NaN values cannot be ordered";

// A number, or a constant text that says why there is none.
template <class T>
using Number = std::expected<T, std::string_view>;

inline Number<int64_t> Add(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::unexpected(kIntOverflow);
  return sum;
}
inline Number<int64_t> Subtract(int64_t a, int64_t b) {
  int64_t difference;
  if (__builtin_sub_overflow(a, b, &difference)) return std::unexpected(kIntOverflow);
  return difference;
}
inline Number<int64_t> Multiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::unexpected(kIntOverflow);
  return product;
}
inline Number<int64_t> Divide(int64_t a, int64_t b) {
  if (b == 0) return std::unexpected(kDivisionByZero);
  if (b == -1 && a == std::numeric_limits<int64_t>::min()) return std::unexpected(kIntOverflow);
  return a / b;
}
inline Number<int64_t> Modulo(int64_t a, int64_t b) {
  if (b == 0) return std::unexpected(kModulusByZero);
  if (b == -1 && a == std::numeric_limits<int64_t>::min()) return std::unexpected(kIntOverflow);
  return a % b;
}
inline Number<int64_t> Negate(int64_t a) { return Subtract(0, a); }

inline Number<uint64_t> Add(uint64_t a, uint64_t b) {
  uint64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::unexpected(kUintOverflow);
  return sum;
}
inline Number<uint64_t> Subtract(uint64_t a, uint64_t b) {
  if (b > a) return std::unexpected(kUintOverflow);
  return a - b;
}
inline Number<uint64_t> Multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::unexpected(kUintOverflow);
  return product;
}
inline Number<uint64_t> Divide(uint64_t a, uint64_t b) {
  if (b == 0) return std::unexpected(kDivisionByZero);
  return a / b;
}
inline Number<uint64_t> Modulo(uint64_t a, uint64_t b) {
  if (b == 0) return std::unexpected(kModulusByZero);
  return a % b;
}

// Towards zero. The least int64 itself is out of range, as it is for cel-go.
inline Number<int64_t> ToInt(double d) {
  if (!(d > -0x1p63 && d < 0x1p63)) return std::unexpected(kIntOverflow);
  return static_cast<int64_t>(d);
}
inline Number<int64_t> ToInt(uint64_t u) {
  if (u > uint64_t{std::numeric_limits<int64_t>::max()}) return std::unexpected(kIntOverflow);
  return static_cast<int64_t>(u);
}
inline Number<uint64_t> ToUint(double d) {
  if (!(d >= 0 && d < 0x1p64)) return std::unexpected(kUintOverflow);
  return static_cast<uint64_t>(d);
}
inline Number<uint64_t> ToUint(int64_t i) {
  if (i < 0) return std::unexpected(kUintOverflow);
  return static_cast<uint64_t>(i);
}

// -1, 0, 1. The doubles are no NaN: whoever compares asks first.
inline int Compare(int64_t a, int64_t b) { return a < b ? -1 : a > b ? 1 : 0; }
inline int Compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b ? 1 : 0; }
inline int Compare(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }
inline int Compare(int64_t a, uint64_t b) { return a < 0 ? -1 : Compare(static_cast<uint64_t>(a), b); }
inline int Compare(uint64_t a, int64_t b) { return -Compare(b, a); }
// The integer as the nearest double, which is all that cel-go looks at.
inline int Compare(double a, int64_t b) { return Compare(a, static_cast<double>(b)); }
inline int Compare(int64_t a, double b) { return Compare(static_cast<double>(a), b); }
inline int Compare(double a, uint64_t b) { return Compare(a, static_cast<double>(b)); }
inline int Compare(uint64_t a, double b) { return Compare(static_cast<double>(a), b); }

// Texts as Go's strconv reads them: base 10, a sign for ints; for doubles also "Inf", "Infinity", "NaN" in any case,
// hexadecimal floats, and no digits out of range; for bools "1", "t", "T", "TRUE", "true", "True" and their opposites.
// False where the text is none.
bool ParseInt(std::string_view text, int64_t& number);
bool ParseUint(std::string_view text, uint64_t& number);
bool ParseDouble(std::string_view text, double& number);
bool ParseBool(std::string_view text, bool& truth);

// As Go's %g: the shortest text that reads back, with an exponent below 1e-4 and from 1e6 on; "+Inf", "-Inf", "NaN".
std::string FormatDouble(double d);
// The shortest text that reads back, without an exponent.
std::string FormatPlain(double d);
// `decimals` digits behind the point, as Go's %f: "+Inf", "-Inf", "NaN".
std::string FormatFixed(double d, int decimals);

}  // namespace cel::library
