#include "resources/behaviours.h"

namespace resources::storage {

constinit const registry::Behaviour kStorageClasses = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .returns_deleted_object = true,
};

}  // namespace resources::storage
