#include "resources/behaviours.h"

namespace resources::networking {

constinit const registry::Behaviour kIngresses = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
    .has_generation = true,
    .generation_of = kSpec,
};

}  // namespace resources::networking
