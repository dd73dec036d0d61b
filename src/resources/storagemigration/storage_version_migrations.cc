#include "resources/behaviours.h"

namespace resources::storagemigration {

constinit const registry::Behaviour kStorageVersionMigrations = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFull,
    .allow_unconditional_update = false,
    .status_write_keeps = registry::kForStatus,
};

}  // namespace resources::storagemigration
