#include <algorithm>
#include <array>
#include <set>

#include "resources/admissionregistration/matching_rules.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::admissionregistration {
namespace {

constexpr std::array<std::string_view, 3> kActions = {"Audit", "Deny", "Warn"};

void CheckActions(Scope& spec) {
  const Value actions = spec.Get("validationActions");
  const FieldPath list = spec.At("validationActions");
  std::set<std::string_view> seen;
  for (uint32_t i = 0; i < actions.size(); ++i) {
    const std::string_view action = actions[i].AsString();
    if (std::ranges::find(kActions, action) == kActions.end()) {
      spec.errors.NotSupported(list.Index(i), action, kActions);
    }
    if (!seen.insert(action).second) spec.errors.Duplicate(list.Index(i), action);
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    spec.errors.InvalidAs(
        list, PrintListOf("admissionregistration.ValidationAction", actions),
        "must not contain both Deny and Warn (repeating the same validation failure information in the "
        "API response and headers serves no purpose)");
  }
  if (seen.empty()) spec.errors.Required(list, "at least one validation action is required");
}

constexpr Rule kSpecRules[] = {Call(CheckBoundPolicy), Call(CheckActions)};
constexpr Rule kRules[] = {IntoStruct("spec", kSpecRules)};

}  // namespace

constinit const registry::StrategyTable kValidatingAdmissionPolicyBindings = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kFull,
            .strict_finalizers = false,
            .allow_unconditional_update = false,
            .has_generation = true,
            .generation_of = kSpec,
        },
};

}  // namespace resources::admissionregistration
