#include "resources/behaviours.h"

namespace resources::storage {

constinit const registry::Behaviour kCsiNodes = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .allow_unconditional_update = false,
    .returns_deleted_object = true,
};

}  // namespace resources::storage
