#include "resources/behaviours.h"

namespace resources::coordination {

constinit const registry::Behaviour kLeases = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .strict_finalizers = false,
    .allow_create_on_update = true,
    .allow_unconditional_update = false,
};

}  // namespace resources::coordination
