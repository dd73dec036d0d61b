#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kEndpoints = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
    .allow_create_on_update = true,
};

}  // namespace resources::core
