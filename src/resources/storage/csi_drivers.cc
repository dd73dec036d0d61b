#include "resources/behaviours.h"

namespace resources::storage {

constinit const registry::Behaviour kCsiDrivers = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .allow_unconditional_update = false,
    .generation_of = kSpec,
    .returns_deleted_object = true,
};

}  // namespace resources::storage
