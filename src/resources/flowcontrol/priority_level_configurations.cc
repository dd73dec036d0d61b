#include "resources/behaviours.h"

namespace resources::flowcontrol {

constinit const registry::Behaviour kPriorityLevelConfigurations = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFull,
    .has_generation = true,
    .generation_of = kSpec,
    .status_write_keeps = registry::kWholeMetadata,
};

}  // namespace resources::flowcontrol
