#include "resources/core/pod_rules.h"

namespace resources::core {

void CheckHostNetworkPorts(Scope&) {}
void CheckDnsConfig(Scope&) {}
void CheckHostAliases(Scope&) {}

}  // namespace resources::core
