// What a service must keep, for its StrategyTable: ScopeChecks over the whole object, in the real server's order. Pure;
// any thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources::core {

void CheckService(Scope& service);        // on create and update
void CheckServiceChange(Scope& service);  // on update: what may not change
void CheckServiceStatus(Scope& service);  // on update of status

}  // namespace resources::core
