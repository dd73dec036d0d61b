// GoConvert: holds an untyped document against a Go type as the real server's converter does, which is no decoder:
// after an apply and after a strategic merge patch its words for a value that does not fit are what clients see, a
// number that is too large wraps around, and 2.0 is 2. Called by the handlers before they decode what a patch made;
// pure but for the tree it changes, any thread.
#pragma once

#include "base/result.h"
#include "schema/schema.h"
#include "value/arena.h"
#include "value/value.h"

namespace apply {

// Changes the numbers of `object`, a document of `type`, in place to what its fields hold, and puts what nobody reads
// (raw extensions) in anew, as Go writes a map. kInvalid, with Go's text, at the first value, in the order of the
// type's fields, that has no place in its field. What reads its own text (quantities, times) is not looked at: decoding
// tells.
base::Result<> GoConvert(value::Arena& arena, const schema::Type& type, const value::Value& object);

}  // namespace apply
