// Structural schemas: what a definition's schema must be so that fields can be pruned and defaulted: a skeleton of
// typed fields, with value validation that says nothing of structure. Called by the definition's rules. Pure; any
// thread; bounded by the schema's size and depth.
#pragma once

#include <string>
#include <string_view>

#include "resources/rules/errors.h"

namespace resources::apiextensions {

// What keeps `schema` from being read as a structural one at all: a keyword that is not supported. "" nothing.
std::string UnsupportedKeyword(const Value& schema);

// Puts what is not structural in `schema`, which has no unsupported keyword, sorted by their texts.
void CheckStructural(Errors& errors, const FieldPath& path, const Value& schema);

}  // namespace resources::apiextensions
