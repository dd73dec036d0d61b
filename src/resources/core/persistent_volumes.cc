#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kPersistentVolumes = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .returns_deleted_object = true,
};

}  // namespace resources::core
