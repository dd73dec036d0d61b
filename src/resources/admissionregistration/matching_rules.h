// What webhooks, policies and bindings demand alike: what they match, under which conditions, with which parameters.
// ScopeChecks over the object that the comment names. Pure; any thread.
#pragma once

#include <array>
#include <set>
#include <string_view>

#include "resources/admissionregistration/expressions.h"
#include "resources/rules/rules.h"

namespace resources::admissionregistration {

inline constexpr std::array<std::string_view, 2> kFailurePolicies = {"Fail", "Ignore"};
inline constexpr std::array<std::string_view, 2> kMatchPolicies = {"Equivalent", "Exact"};
inline constexpr std::array<std::string_view, 2> kReinvocationPolicies = {"IfNeeded", "Never"};

// Over a RuleWithOperations.
void CheckRuleWithOperations(Scope& rule);

// Over what has `field` of type MatchResources, if it is there.
void CheckMatchResources(const Scope& scope, std::string_view field);
// Over the same: no rule of it names an operation that nothing can be changed in.
void CheckMutatingOperations(Scope& scope, std::string_view field);

// How expressions are looked at: `stored` are those of the former object.
struct ConditionOptions {
  bool has_params = false;
  const std::set<std::string_view>* stored = nullptr;
};
// Over what has `matchConditions`.
void CheckMatchConditions(Scope& scope, ConditionOptions options);

// Over a spec with `paramKind`, and over one with `policyName` and `paramRef`.
void CheckParamKind(Scope& spec);
void CheckBoundPolicy(Scope& spec);

}  // namespace resources::admissionregistration
