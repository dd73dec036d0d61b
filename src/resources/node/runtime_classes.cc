#include "resources/behaviours.h"

namespace resources::node {

constinit const registry::Behaviour kRuntimeClasses = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .allow_create_on_update = true,
    .allow_unconditional_update = false,
};

}  // namespace resources::node
