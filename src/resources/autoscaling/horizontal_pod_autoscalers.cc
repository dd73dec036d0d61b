#include "resources/behaviours.h"

namespace resources::autoscaling {

constinit const registry::Behaviour kHorizontalPodAutoscalers = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
};

}  // namespace resources::autoscaling
