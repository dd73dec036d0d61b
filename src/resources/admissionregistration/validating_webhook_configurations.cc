#include "resources/admissionregistration/webhook_rules.h"
#include "resources/rules/generation.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::admissionregistration {
namespace {

constexpr Rule kRules[] = {Call(CheckValidatingWebhooks)};

constexpr std::string_view kWebhooks = "webhooks";
constexpr std::string_view kGenerationOf[] = {kWebhooks};

}  // namespace

constinit const registry::StrategyTable kValidatingWebhookConfigurations = {
    .prepare_for_update = CountChangesOf<kWebhooks>,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kFull,
            .strict_finalizers = false,
            .allow_unconditional_update = false,
            .has_generation = true,
            .generation_of = kGenerationOf,
        },
};

}  // namespace resources::admissionregistration
