#include "resources/behaviours.h"

namespace resources::admissionregistration {
namespace {

constexpr std::string_view kGenerationOf[] = {"webhooks"};

}  // namespace

constinit const registry::Behaviour kValidatingWebhookConfigurations = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFull,
    .strict_finalizers = false,
    .allow_unconditional_update = false,
    .has_generation = true,
    .generation_of = kGenerationOf,
};

}  // namespace resources::admissionregistration
