#include "resources/behaviours.h"

namespace resources::resource {

constinit const registry::Behaviour kDeviceClasses = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .has_generation = true,
    .generation_of = kSpec,
    .returns_deleted_object = true,
};

}  // namespace resources::resource
