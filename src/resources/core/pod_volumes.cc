#include "resources/core/pod_rules.h"

namespace resources::core {

void CheckPodVolumes(Scope&) {}

}  // namespace resources::core
