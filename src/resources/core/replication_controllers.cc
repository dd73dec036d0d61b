#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kReplicationControllers = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .has_generation = true,
    .generation_of = kSpec,
    .deletion_default = registry::DeletionDefault::kOrphan,
};

}  // namespace resources::core
