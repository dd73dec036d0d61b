#include "resources/core/pod_rules.h"

namespace resources::core {

void CheckPodSecurity(Scope&) {}
void CheckHostProcesses(Scope&) {}
void CheckPodOs(Scope&) {}
void CheckContainerSecurity(Scope&) {}
void CheckPodAnnotations(Scope&, const FieldPath&) {}
void CheckAnnotationsMatchFields(Scope&) {}

}  // namespace resources::core
