#include "resources/behaviours.h"

namespace resources::admissionregistration {

constinit const registry::Behaviour kValidatingAdmissionPolicyBindings = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFull,
    .strict_finalizers = false,
    .allow_unconditional_update = false,
    .has_generation = true,
    .generation_of = kSpec,
};

}  // namespace resources::admissionregistration
