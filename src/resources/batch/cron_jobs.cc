#include "resources/behaviours.h"

namespace resources::batch {

constinit const registry::Behaviour kCronJobs = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .has_generation = true,
    .generation_of = kSpec,
};

}  // namespace resources::batch
