// A value of an expression as a document: what command lines print and what patches are made of.
#pragma once

#include "base/result.h"
#include "cel/value.h"
#include "value/value.h"

namespace cel {

// In `arena`, sharing nothing with `value`. Timestamps, durations, addresses, quantities and types become their texts,
// bytes base64, none of an optional null. Fails for what has no such form: an error value, a map whose keys are no
// strings, numbers or bools, a value nested more than 1000 deep or of more than a million parts.
base::Result<value::Value> ToDocument(const Value& value, value::Arena& arena);

}  // namespace cel
