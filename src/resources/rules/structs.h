// How error texts print a struct. The real server prints Go's form of it, with pointers, which nobody can read again;
// here it is JSON. Pure; any thread.
#pragma once

#include <string>

#include "value/json_writer.h"

namespace resources {

// As JSON whatever its members are; PrintBadValue takes an object with nothing but strings for a map.
inline std::string PrintStruct(const value::Value& v) {
  std::string out;
  value::WriteJson(v, out);
  return out;
}

}  // namespace resources
