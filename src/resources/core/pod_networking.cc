#include "resources/core/pod_rules.h"

namespace resources::core {

void CheckPodNetworking(Scope&) {}

}  // namespace resources::core
