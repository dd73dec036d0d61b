// The one table that names each built-in resource's Behaviour: what data cannot say of it. Constant, any thread.
#pragma once

#include <string_view>

#include "registry/resource.h"

namespace resources {

// The behaviour of that resource; of one that nothing is said of, the one that changes and refuses nothing.
const registry::Behaviour& BehaviourOf(std::string_view group, std::string_view version, std::string_view plural);

}  // namespace resources
