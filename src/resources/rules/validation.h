// StrategyTable::validate and validate_update made of constant rule tables (rules.h): `.validate = Validate<kRules>`
// and
// `.validate_update = ValidateUpdate<kRules, kStatusRules>`. Errors beyond metadata's, which the registry finds and
// puts first.
#pragma once

#include "registry/resource.h"
#include "resources/rules/rules.h"

namespace resources {

inline constexpr std::span<const Rule> kNoRules{};

// Holds a new object against `rules`.
template <const auto& rules>
api::FieldErrors Validate(registry::WriteContext& context, const Value& object) {
  Errors errors;
  Check(context, rules, FieldPath(), object, nullptr, errors);
  return std::move(errors).Take();
}

// Holds a changed object against `rules` when it was written through its own endpoint, against `status_rules` when
// through `status`. A kind with more subresources has a function of its own.
template <const auto& rules, const auto& status_rules = kNoRules>
api::FieldErrors ValidateUpdate(registry::WriteContext& context, const Value& object, const Value& old) {
  Errors errors;
  if (context.subresource.empty()) Check(context, rules, FieldPath(), object, &old, errors);
  if (context.subresource == "status") Check(context, status_rules, FieldPath(), object, &old, errors);
  return std::move(errors).Take();
}

}  // namespace resources
