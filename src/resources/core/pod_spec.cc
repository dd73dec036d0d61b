#include "resources/core/pod_rules.h"

namespace resources::core {

void CheckPodSpec(Scope&) {}
void CheckPodTemplateSpec(Scope&) {}

}  // namespace resources::core
