// DefaultTolerationSeconds: pods that say nothing of nodes that are not ready or not reachable stay on them for five
// minutes. Called on every create and update of a pod. Pure; any thread.
#pragma once

#include "value/value.h"

namespace admission {

void DefaultTolerationSeconds(const value::Value& pod, value::Arena& arena);

}  // namespace admission
