#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kNodes = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .creates_with_status = true,
};

}  // namespace resources::core
