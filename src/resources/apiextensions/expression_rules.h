// What the expressions of x-kubernetes-validations must keep beside the language: that they are there, their messages,
// reasons and field paths. Pure; any thread.
#pragma once

#include "resources/rules/errors.h"

namespace resources::apiextensions {

// Over a schema at `path`. Where it, or what is below it, is wrong already, expressions are not compiled.
void CheckExpressions(Errors& errors, const FieldPath& path, const Value& schema, bool schema_is_wrong);

}  // namespace resources::apiextensions
