// Values as Go prints them with %#v: error texts of the YAML reader show them so. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "value/value.h"

namespace value {

// map[interface {}]interface {}{"a":1}, []interface {}{"x", interface {}(nil)}; <nil> for a null that stands alone.
// `map_type` is the Go type of maps; what was read from JSON has kGoJsonMap.
inline constexpr std::string_view kGoJsonMap = "map[string]interface {}";
std::string GoSyntax(const Value& v, std::string_view map_type = "map[interface {}]interface {}");

}  // namespace value
