#include "resources/behaviours.h"

namespace resources::storage {

constinit const registry::Behaviour kVolumeAttachments = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .allow_unconditional_update = false,
    .status_write_keeps = registry::kForStatus,
    .returns_deleted_object = true,
};

}  // namespace resources::storage
