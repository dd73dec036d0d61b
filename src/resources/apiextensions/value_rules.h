// Holds JSON values against the schemas of definitions, as the real server's validator does: what defaults within a
// schema must be. Pure; any thread; bounded by the value's size times the schema's.
#pragma once

#include <string>

#include "resources/rules/errors.h"

namespace resources::apiextensions {

// As Go prints what it read of JSON: map[string]interface {}{"a":1}.
std::string PrintContent(const Value& content);

// Puts what `value`, which stands at `path`, does wrong of `schema`, a JSONSchemaProps that is structural.
void CheckValue(Errors& errors, const FieldPath& path, const Value& value, const Value& schema);

}  // namespace resources::apiextensions
