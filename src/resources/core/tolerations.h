// Taints of nodes, and what pods tolerate of them. Pure; any thread.
#pragma once

#include "resources/rules/errors.h"

namespace resources::core {

// A list of Tolerations.
void CheckTolerations(Errors& errors, const FieldPath& path, const Value& tolerations);
// A list of Taints, which differ in key and effect.
void CheckTaints(Errors& errors, const FieldPath& path, const Value& taints);

}  // namespace resources::core
