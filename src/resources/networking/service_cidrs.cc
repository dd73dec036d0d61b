#include "resources/behaviours.h"

namespace resources::networking {

constinit const registry::Behaviour kServiceCidrs = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .status_write_keeps = registry::kForStatus,
};

}  // namespace resources::networking
