#include "resources/core/pod_rules.h"

namespace resources::core {

void CheckPodContainers(Scope&) {}

}  // namespace resources::core
