#include "resources/behaviours.h"

namespace resources::admissionregistration {

namespace {
constexpr std::string_view kStatusResets[] = {"metadata", "spec"};
constexpr registry::ResetPaths kResets[] = {{"status", kStatusResets}};
}  // namespace

constinit const registry::Behaviour kValidatingAdmissionPolicies = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFull,
    .strict_finalizers = false,
    .allow_unconditional_update = false,
    .has_generation = true,
    .generation_of = kSpec,
    .resets = kResets,
    .status_write_keeps = registry::kForStatus,
};

}  // namespace resources::admissionregistration
