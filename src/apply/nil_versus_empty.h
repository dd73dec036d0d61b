// What Go's struct of an object holds and its JSON does not say. Server-side apply works on what objects say. Pure; any
// thread.
#pragma once

#include "schema/schema.h"
#include "value/arena.h"
#include "value/value.h"

namespace apply {

using value::Arena;
using value::Value;

// Whether `v`, of a field, is an empty list, map or string of bytes that is not written.
bool IsHidden(const schema::Field& field, const Value& v);

// `object` without its empty strings of bytes that are not written: itself where there are none, which nearly always
// costs one look at each of its values.
Value WithoutHiddenBytes(Arena& arena, const schema::Type& type, const Value& object);

}  // namespace apply
