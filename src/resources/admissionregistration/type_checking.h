// What the controller that checks the types of policies may write into their status. Pure; any thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources::admissionregistration {

// Over a policy's status: each warning has a text and a path to the field that it is about.
void CheckTypeChecking(Scope& status);

}  // namespace resources::admissionregistration
