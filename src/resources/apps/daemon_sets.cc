#include "resources/behaviours.h"

namespace resources::apps {

constinit const registry::Behaviour kDaemonSets = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .has_generation = true,
    .generation_of = kSpec,
};

}  // namespace resources::apps
