#include "api/duration.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "base/text.h"

namespace api {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kMost = uint64_t{1} << 63;  // one more than int64 holds: what only a negative duration may reach

// Quoted, every byte that is no printable ASCII as \xNN.
std::string QuoteBytes(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x80 || byte < 0x20) {
      quoted += "\\x";
      quoted += kHex[byte >> 4];
      quoted += kHex[byte & 15];
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

std::optional<uint64_t> UnitSize(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\xc2\xb5s" || unit == "\xce\xbcs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return kSecond;
  if (unit == "m") return 60 * kSecond;
  if (unit == "h") return 3600 * kSecond;
  return std::nullopt;
}

struct Digits {
  uint64_t value = 0;
  double scale = 1;  // 10 to the number of digits that `value` holds
  size_t count = 0;
};

// The digits that `text` begins with, cut from it. False if `value` would leave the range.
bool TakeWhole(std::string_view& text, Digits& digits) {
  for (; !text.empty() && base::IsDigit(text[0]); text.remove_prefix(1), ++digits.count) {
    if (digits.value > kMost / 10) return false;
    digits.value = digits.value * 10 + static_cast<uint64_t>(text[0] - '0');
    if (digits.value > kMost) return false;
  }
  return true;
}

// Digits behind a point: those that no longer fit are dropped.
void TakeFraction(std::string_view& text, Digits& digits) {
  bool full = false;
  for (; !text.empty() && base::IsDigit(text[0]); text.remove_prefix(1), ++digits.count) {
    if (full || digits.value > (kMost - 1) / 10) {
      full = true;
      continue;
    }
    const uint64_t next = digits.value * 10 + static_cast<uint64_t>(text[0] - '0');
    if (next > kMost) {
      full = true;
      continue;
    }
    digits.value = next;
    digits.scale *= 10;
  }
}

std::string Invalid(std::string_view text) { return base::Cat("time: invalid duration ", QuoteBytes(text)); }

}  // namespace

std::expected<std::chrono::nanoseconds, std::string> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return std::chrono::nanoseconds(0);
  if (rest.empty()) return std::unexpected(Invalid(text));
  uint64_t total = 0;
  while (!rest.empty()) {
    if (rest[0] != '.' && !base::IsDigit(rest[0])) return std::unexpected(Invalid(text));
    Digits whole, fraction;
    if (!TakeWhole(rest, whole)) return std::unexpected(Invalid(text));
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      TakeFraction(rest, fraction);
    }
    if (whole.count + fraction.count == 0) return std::unexpected(Invalid(text));
    const size_t unit_end = rest.find_first_of(".0123456789");
    const std::string_view unit = rest.substr(0, unit_end);
    if (unit.empty()) return std::unexpected(base::Cat("time: missing unit in duration ", QuoteBytes(text)));
    rest.remove_prefix(unit.size());
    const std::optional<uint64_t> size = UnitSize(unit);
    if (!size) {
      return std::unexpected(base::Cat("time: unknown unit ", QuoteBytes(unit), " in duration ", QuoteBytes(text)));
    }
    if (whole.value > kMost / *size) return std::unexpected(Invalid(text));
    uint64_t part = whole.value * *size;
    part += static_cast<uint64_t>(static_cast<double>(fraction.value) * (static_cast<double>(*size) / fraction.scale));
    if (part > kMost || total + part > kMost) return std::unexpected(Invalid(text));
    total += part;
  }
  if (negative) return std::chrono::nanoseconds(static_cast<int64_t>(uint64_t{0} - total));
  if (total > kMost - 1) return std::unexpected(Invalid(text));
  return std::chrono::nanoseconds(static_cast<int64_t>(total));
}

std::string FormatDuration(std::chrono::nanoseconds duration) {
  if (duration.count() == 0) return "0s";
  const bool negative = duration.count() < 0;
  const uint64_t total =
      negative ? uint64_t{0} - static_cast<uint64_t>(duration.count()) : static_cast<uint64_t>(duration.count());
  const auto decimal = [](uint64_t whole, uint64_t rest, uint64_t one) {
    std::string text = base::Cat(whole);
    if (rest == 0) return text;
    std::string digits = base::Cat(rest + one);  // a leading 1 keeps the zeros
    digits.erase(digits.find_last_not_of('0') + 1);
    return base::Cat(text, ".", std::string_view(digits).substr(1));
  };
  const std::string_view sign = negative ? "-" : "";
  if (total < 1'000) return base::Cat(sign, total, "ns");
  if (total < 1'000'000) return base::Cat(sign, decimal(total / 1'000, total % 1'000, 1'000), "\xc2\xb5s");
  if (total < kSecond) return base::Cat(sign, decimal(total / 1'000'000, total % 1'000'000, 1'000'000), "ms");
  const uint64_t seconds = total / kSecond;
  std::string text(sign);
  if (seconds >= 3600) base::Append(text, seconds / 3600, "h");
  if (seconds >= 60) base::Append(text, seconds / 60 % 60, "m");
  return base::Cat(text, decimal(seconds % 60, total % kSecond, kSecond), "s");
}

std::string HumanDuration(int64_t seconds) {
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return base::Cat(seconds, "s");
  // The larger unit, with the smaller one where it says something.
  const auto both = [](int64_t large, const char* unit, int64_t small, const char* small_unit) {
    return small == 0 ? base::Cat(large, unit) : base::Cat(large, unit, small, small_unit);
  };
  const int64_t minutes = seconds / 60, hours = minutes / 60, days = hours / 24, years = days / 365;
  if (minutes < 10) return both(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return base::Cat(minutes, "m");
  if (hours < 8) return both(hours, "h", minutes % 60, "m");
  if (hours < 48) return base::Cat(hours, "h");
  if (days < 8) return both(days, "d", hours % 24, "h");
  if (years < 2) return base::Cat(days, "d");
  if (years < 8) return both(years, "y", days % 365, "d");
  return base::Cat(years, "y");
}

}  // namespace api
