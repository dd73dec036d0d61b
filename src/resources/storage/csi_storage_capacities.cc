#include "resources/behaviours.h"

namespace resources::storage {

constinit const registry::Behaviour kCsiStorageCapacities = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .allow_unconditional_update = false,
};

}  // namespace resources::storage
