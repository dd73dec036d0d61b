// DefaultTolerationSeconds: pods that say nothing of nodes that are not ready or not reachable stay on them for five
// minutes, or as long as --default-not-ready-toleration-seconds and --default-unreachable-toleration-seconds say.
// Called on every create and update of a pod. Pure; any thread.
#pragma once

#include <cstdint>

#include "value/value.h"

namespace admission {

struct TolerationSeconds {
  int64_t not_ready = 300, unreachable = 300;
};
void DefaultTolerationSeconds(const value::Value& pod, value::Arena& arena, const TolerationSeconds& seconds = {});

}  // namespace admission
