// How error texts show values: as Go's %v shows those of cel-go. Pure.
#pragma once

#include <string>
#include <string_view>

#include "cel/value.h"

namespace cel {

std::string Shown(const Value& value);
// The name of cel-go's own type for the value: "types.Int", "*types.baseList".
std::string_view GoTypeName(const Value& value);

}  // namespace cel
