#include "resources/rules/integers.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace resources {

ParsedInteger ParseInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text;
  if (negative || text.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || !std::ranges::all_of(digits, base::IsDigit)) return {0, "invalid syntax"};
  // from_chars knows no plus.
  const std::string_view number = negative ? text : digits;
  int64_t value = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc()) return {value, ""};
  using Limits = std::numeric_limits<int64_t>;
  return {negative ? Limits::min() : Limits::max(), "value out of range"};
}

}  // namespace resources
