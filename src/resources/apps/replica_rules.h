// What deployments share with the replica sets they make, and workloads with each other. Pure; any thread.
#pragma once

#include <string_view>

#include "resources/rules/rules.h"

namespace resources::apps {

// Over a spec with `selector` and `template`, as deployments and replica sets check them.
void CheckReplicatedPods(Scope& spec);

// Over a status: its `field` is not above its `bound`.
void CheckAtMost(Scope& status, std::string_view field, std::string_view bound, std::string_view detail);
// Over the whole object, on update of the status: collisionCount does not go down.
void CheckCollisionCount(Scope& object);

// Warns of a name that does not fit into host names.
void WarnOfName(registry::WriteContext& context, const Value& object);

}  // namespace resources::apps
