#include "resources/behaviours.h"

namespace resources::apiserverinternal {

constinit const registry::Behaviour kStorageVersions = {
    .update_checks = registry::MetadataChecks::kFull,
    .allow_unconditional_update = false,
    .status_write_keeps = registry::kForStatus,
};

}  // namespace resources::apiserverinternal
