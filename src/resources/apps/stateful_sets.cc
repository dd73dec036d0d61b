#include "resources/behaviours.h"

namespace resources::apps {

constinit const registry::Behaviour kStatefulSets = {
    .check_name = api::CheckNameIsDnsLabel,
    .has_generation = true,
    .generation_of = kSpec,
};

}  // namespace resources::apps
