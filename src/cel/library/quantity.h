// Quantities of expressions: quantity() and what can be asked of one, beside what api::Quantity itself does. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/quantity.h"
#include "cel/library/outcome.h"

namespace cel::library {

Outcome<api::Quantity> ParseQuantity(std::string_view text);
inline bool IsQuantity(std::string_view text) { return api::Quantity::Parse(text).has_value(); }

// Error: "cannot convert value to integer".
Outcome<int64_t> AsInteger(const api::Quantity& quantity);

api::Quantity Sum(const api::Quantity& a, const api::Quantity& b);
api::Quantity Difference(const api::Quantity& a, const api::Quantity& b);
// An int as the operand of add() and sub().
inline api::Quantity QuantityOf(int64_t number) {
  return api::Quantity::Of(number, api::Quantity::Format::kDecimalExponent);
}

}  // namespace cel::library
