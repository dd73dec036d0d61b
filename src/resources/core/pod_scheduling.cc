#include "resources/core/pod_rules.h"

namespace resources::core {

void CheckNodeSelector(Scope&) {}
void CheckAffinity(Scope&) {}
void CheckReadinessGates(Scope&) {}
void CheckSchedulingGates(Scope&) {}
void CheckTopologySpread(Scope&) {}
void CheckTolerations(Scope&) {}

}  // namespace resources::core
