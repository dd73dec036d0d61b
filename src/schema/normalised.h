// Data that no schema describes, as Go's interface{} holds it and writes it again. Pure; any thread; recurses as deep
// as the data.
#pragma once

#include <string_view>

#include "value/arena.h"
#include "value/value.h"

namespace schema {

// `v` with keys sorted, of repeated ones the last, and every number that is no integer as the shortest text that reads
// back. Where a number is beyond float64 it stays, and `too_large`, which may be null, becomes the first one's text.
value::Value Normalised(value::Arena& arena, const value::Value& v, std::string_view* too_large = nullptr);

}  // namespace schema
