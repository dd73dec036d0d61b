#include "resources/core/pod_rules.h"

namespace resources::core {

void CheckPodScheduling(Scope&) {}

}  // namespace resources::core
