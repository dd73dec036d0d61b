#include "cel/library/quantity.h"

#include <optional>

namespace cel::library {

Outcome<api::Quantity> ParseQuantity(std::string_view text) {
  auto parsed = api::Quantity::Parse(text);
  if (!parsed) return std::unexpected(std::string(parsed.error()));
  return *std::move(parsed);
}

Outcome<int64_t> AsInteger(const api::Quantity& quantity) {
  const std::optional<int64_t> whole = quantity.AsInt64();
  if (!whole) return std::unexpected("cannot convert value to integer");
  return *whole;
}

api::Quantity Sum(const api::Quantity& a, const api::Quantity& b) {
  api::Quantity sum = a;
  sum.Add(b);
  return sum;
}

api::Quantity Difference(const api::Quantity& a, const api::Quantity& b) {
  api::Quantity difference = a;
  difference.Sub(b);
  return difference;
}

}  // namespace cel::library
