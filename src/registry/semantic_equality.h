// Whether two values of a type are the same to the API: as value::Equal, but that an empty list, map or string of bytes
// equals none at all and amounts count as numbers (Go's "semantic" equality). Objects are canonical trees; pure
// functions, any thread; recurses as deep as they are.
#pragma once

#include <string_view>

#include "schema/schema.h"
#include "value/arena.h"
#include "value/value.h"

namespace registry {

bool Same(const schema::Type& type, const value::Value& a, const value::Value& b);
// The members of `a` and `b`, both of `type`, at a dotted path ("spec", "metadata.annotations").
bool SameAt(const schema::Type& type, std::string_view path, const value::Value& a, const value::Value& b);
// Same, but for what the garbage collector changes of an object: owners, finalizers, and whose fields are whose.
bool SameButForCollector(const schema::Type& type, const value::Value& a, const value::Value& b, value::Arena& arena);

}  // namespace registry
