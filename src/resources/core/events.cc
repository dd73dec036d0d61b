#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kEvents = {
    .update_checks = registry::MetadataChecks::kNone,
    .strict_finalizers = false,
    .allow_create_on_update = true,
    .deletion_default = registry::DeletionDefault::kUnsupported,
};

// The same objects through events.k8s.io, whose updates are validated as such.
constinit const registry::Behaviour kEventsV1 = {
    .update_checks = registry::MetadataChecks::kUpdate,
    .allow_create_on_update = true,
    .deletion_default = registry::DeletionDefault::kUnsupported,
};

}  // namespace resources::core
