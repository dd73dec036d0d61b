#include "resources/behaviours.h"

namespace resources::resource {

constinit const registry::Behaviour kResourceClaims = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .status_write_keeps = registry::kForStatus,
    .returns_deleted_object = true,
};

}  // namespace resources::resource
