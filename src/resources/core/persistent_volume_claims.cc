#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kPersistentVolumeClaims = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .returns_deleted_object = true,
};

}  // namespace resources::core
