// What defaults within a definition's schema must be: of fields that the schema knows, whole where they are resources,
// and as the schema wants them. So are its rules in CEL. Pure; any thread; bounded by the schema's size and
// depth.
#pragma once

#include "resources/rules/errors.h"

namespace resources::apiextensions {

// Puts what is wrong with the defaults in `schema`, which is structural.
void CheckDefaults(Errors& errors, const FieldPath& path, const Value& schema);

}  // namespace resources::apiextensions
