#include <algorithm>

#include "resources/core/pod/selected_template.h"
#include "resources/rules/conditions.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/int_or_percent.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::policy {
namespace {

constexpr std::string_view kEvictionPolicies[] = {"AlwaysAllow", "IfHealthyBudget"};

void CheckAmounts(Scope& spec) {
  if (spec.Has("minAvailable") && spec.Has("maxUnavailable")) {
    spec.errors.InvalidAs(spec.path, core::PrintStruct("policy.PodDisruptionBudgetSpec", spec.object),
                          "minAvailable and maxUnavailable cannot be both set");
  }
  for (std::string_view field : {"minAvailable", "maxUnavailable"}) {
    const Value* amount = spec.object.Find(field);
    if (amount == nullptr) continue;
    CheckIntOrPercent(spec.errors, spec.At(field), *amount);
    CheckAtMost100Percent(spec.errors, spec.At(field), *amount);
  }
}

// A selector that was malformed may stay malformed in its values.
void CheckSelector(Scope& spec) {
  const bool had_invalid = spec.old != nullptr && !core::IsUsableSelector(spec.old->Get("selector"));
  CheckLabelSelector(spec.errors, spec.At("selector"), spec.Get("selector"), {.allow_invalid_values = had_invalid});
}

// A pointer: what is there is one of the words, even if it is empty.
void CheckEvictionPolicy(Scope& spec) {
  const Value* policy = spec.object.Find("unhealthyPodEvictionPolicy");
  if (policy == nullptr || std::ranges::find(kEvictionPolicies, policy->AsString()) != std::end(kEvictionPolicies))
    return;
  spec.errors.NotSupported(spec.At("unhealthyPodEvictionPolicy"), policy->AsString(), kEvictionPolicies);
}

constexpr Rule kSpecRules[] = {
    Call(CheckAmounts),
    Call(CheckSelector),
    Call(CheckEvictionPolicy),
};
constexpr Rule kRules[] = {
    IntoStruct("spec", kSpecRules),
};

constexpr Rule kStatusFields[] = {
    Call([](Scope& status) { CheckConditions(status.errors, status.At("conditions"), status.Get("conditions")); }),
    NonNegative("disruptionsAllowed"),
    NonNegative("currentHealthy"),
    NonNegative("desiredHealthy"),
    NonNegative("expectedPods"),
};
constexpr Rule kStatusRules[] = {
    IntoStruct("status", kStatusFields),
};

}  // namespace

constinit const registry::StrategyTable kPodDisruptionBudgets = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules, kStatusRules>,
    .facts =
        {
            .update_checks = registry::MetadataChecks::kNone,
            .strict_finalizers = false,
            .allow_unconditional_update = false,
            .has_generation = true,
            .generation_of = kSpec,
        },
};

}  // namespace resources::policy
