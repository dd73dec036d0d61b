#include "resources/behaviours.h"

namespace resources::apps {

constinit const registry::Behaviour kControllerRevisions = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
};

}  // namespace resources::apps
