#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kLimitRanges = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFull,
    .allow_create_on_update = true,
};

}  // namespace resources::core
