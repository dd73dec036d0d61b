// What x-kubernetes-map-type, x-kubernetes-list-type and x-kubernetes-list-map-keys may say of a schema. Pure; any
// thread.
#pragma once

#include "resources/rules/errors.h"

namespace resources::apiextensions {

void CheckMapAndListTypes(Errors& errors, const FieldPath& path, const Value& schema);

}  // namespace resources::apiextensions
