#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kEvents = {
    .update_checks = registry::MetadataChecks::kNone,
    .strict_finalizers = false,
    .allow_create_on_update = true,
    .deletion_default = registry::DeletionDefault::kUnsupported,
};

}  // namespace resources::core
