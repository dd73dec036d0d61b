#include "resources/behaviours.h"

namespace resources::resource {

constinit const registry::Behaviour kResourceClaimTemplates = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .returns_deleted_object = true,
};

}  // namespace resources::resource
