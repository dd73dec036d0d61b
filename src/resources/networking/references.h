// References to objects in any group, as networking's types hold them. Pure; any thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources::networking {

// A string that is one segment of a path; Required with `missing` where it is "".
void CheckSegment(Scope& reference, std::string_view field, std::string_view missing);
// Over a TypedLocalObjectReference, or what has its fields: apiGroup, kind, name.
void CheckTypedReference(Scope& reference);

}  // namespace resources::networking
