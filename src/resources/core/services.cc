#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kServices = {
    .check_name = api::CheckNameIsDns1035Label,
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
    .allow_create_on_update = true,
    .returns_deleted_object = true,
};

}  // namespace resources::core
