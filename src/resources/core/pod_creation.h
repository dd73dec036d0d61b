// What the server makes of a pod that is created, before it is validated.
#pragma once

#include "registry/resource.h"

namespace resources::core {

// Gives a new pod its first status, drops what disabled features brought, puts the labels that its affinity terms name
// into their selectors, and lets AppArmor annotations and fields say the same. Behaviour::prepare_for_create.
void PrepareNewPod(registry::WriteContext& context, value::Value pod);

}  // namespace resources::core
