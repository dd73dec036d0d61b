#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kConfigMaps = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
};

}  // namespace resources::core
