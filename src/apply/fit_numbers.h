// FitNumbers: an applied configuration's numbers as the fields of its type hold them. Go's conversion of untyped
// documents is what clients meet there, and no decoder: a number that is too large wraps around, 2.0 is 2.
// Called by the handlers after an apply; pure but for the tree it changes, any thread.
#pragma once

#include "base/result.h"
#include "schema/schema.h"
#include "value/value.h"

namespace apply {

// Changes the numbers of `object`, a document of `type`, in place. kInvalid, with Go's text, for a fraction where an
// integer has to be.
base::Result<> FitNumbers(const schema::Type& type, const value::Value& object);

}  // namespace apply
