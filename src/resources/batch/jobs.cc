#include "resources/behaviours.h"

namespace resources::batch {

constinit const registry::Behaviour kJobs = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .has_generation = true,
    .generation_of = kSpec,
    .deletion_default = registry::DeletionDefault::kOrphan,
};

}  // namespace resources::batch
