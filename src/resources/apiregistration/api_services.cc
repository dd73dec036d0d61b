#include "resources/behaviours.h"

namespace resources::apiregistration {

constinit const registry::Behaviour kApiServices = {
    .strict_finalizers = false,
    .allow_unconditional_update = false,
    .status_write_keeps = registry::kForStatus,
};

}  // namespace resources::apiregistration
