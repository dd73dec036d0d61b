// How two objects differ, as the real server tells in errors about what may not change: the text of Go's structural
// comparison (go-cmp) over its internal types. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "value/value.h"

namespace resources {

// Lines that begin with `-` are of `before`, with `+` of `after`; both are canonical trees of what `go_type` names
// ("core.PodSpec"), one of data/api/internal_types.txt. "" where they are the same.
std::string Difference(std::string_view go_type, const value::Value& before, const value::Value& after,
                       value::Arena& arena);

}  // namespace resources
