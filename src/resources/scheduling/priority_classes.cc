#include "resources/behaviours.h"

namespace resources::scheduling {

constinit const registry::Behaviour kPriorityClasses = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .has_generation = true,
};

}  // namespace resources::scheduling
