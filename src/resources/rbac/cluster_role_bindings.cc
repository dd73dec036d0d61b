#include "resources/behaviours.h"

namespace resources::rbac {

constinit const registry::Behaviour kClusterRoleBindings = {
    .check_name = api::CheckPathSegment,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .allow_create_on_update = true,
    .deletes_unreadable = false,
};

}  // namespace resources::rbac
