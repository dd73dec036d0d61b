// Conditions of a status, as every type that holds metav1.Condition demands them. Pure; any thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources {

// Each condition of the list that stands at `path` is whole, and their types differ. A type whose conditions have
// another time than lastTransitionTime, or no observedGeneration, says so by `time_field`.
void CheckConditions(Errors& errors, const FieldPath& path, const Value& conditions,
                     std::string_view time_field = "lastTransitionTime");

}  // namespace resources
