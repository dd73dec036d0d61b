#include "resources/behaviours.h"

namespace resources::networking {

constinit const registry::Behaviour kIngressClasses = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .has_generation = true,
    .generation_of = kSpec,
};

}  // namespace resources::networking
