// What of a service may change: ScopeChecks over the whole object and its former self, one subject each, called by the
// rules of services (service_rules.cc). Pure; any thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources::core {

void CheckAddressChanges(Scope& service);     // clusterIPs
void CheckFamilyChanges(Scope& service);      // ipFamilies
void CheckLoadBalancerClass(Scope& service);  // loadBalancerClass, on create too
void CheckHealthCheckChange(Scope& service);  // healthCheckNodePort

}  // namespace resources::core
