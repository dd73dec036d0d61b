#include "resources/behaviours.h"

namespace resources::certificates {

constinit const registry::Behaviour kClusterTrustBundles = {
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
    .allow_unconditional_update = false,
};

}  // namespace resources::certificates
