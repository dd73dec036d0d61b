// What validating and mutating policies demand alike: failure policy, parameters, matching, conditions, variables.
// ScopeChecks over a policy's spec. Pure; any thread.
#pragma once

#include <set>
#include <string_view>

#include "resources/admissionregistration/expressions.h"
#include "resources/rules/rules.h"

namespace resources::admissionregistration {

// failurePolicy, paramKind and matchConstraints.
void CheckMatching(Scope& spec);
// matchConditions, unless neither they nor paramKind have changed.
void CheckPolicyConditions(Scope& spec);
// variables, in their order; they are known to `checker` then. `stored` as in StoredExpressions.
void CheckVariables(Scope& spec, ExpressionChecker& checker, const std::set<std::string_view>& stored);

// The expressions in `field` of the items of `list` of the former spec; none on create.
std::set<std::string_view> StoredExpressions(const Scope& spec, std::string_view list, std::string_view field);

}  // namespace resources::admissionregistration
