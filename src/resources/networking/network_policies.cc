#include "resources/behaviours.h"

namespace resources::networking {

constinit const registry::Behaviour kNetworkPolicies = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .has_generation = true,
    .generation_of = kSpec,
};

}  // namespace resources::networking
