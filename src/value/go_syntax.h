// Values as Go prints them with %#v: error texts of the YAML reader show them so. Pure functions.
#pragma once

#include <string>

#include "value/value.h"

namespace value {

// map[interface {}]interface {}{"a":1}, []interface {}{"x", interface {}(nil)}; <nil> for a null that stands alone.
std::string GoSyntax(const Value& v);

}  // namespace value
