#include "resources/core/pod_rules.h"

namespace resources::core {

void CheckPodContainers(Scope&, const SoundVolumes&) {}

}  // namespace resources::core
