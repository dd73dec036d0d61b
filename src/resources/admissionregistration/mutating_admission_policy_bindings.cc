#include "resources/admissionregistration/matching_rules.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::admissionregistration {
namespace {

void CheckOperations(Scope& spec) { CheckMutatingOperations(spec, "matchResources"); }

constexpr Rule kSpecRules[] = {Call(CheckBoundPolicy), Call(CheckOperations)};
constexpr Rule kRules[] = {IntoStruct("spec", kSpecRules)};

}  // namespace

constinit const registry::StrategyTable kMutatingAdmissionPolicyBindings = {
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
