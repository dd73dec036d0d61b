// The one table of conversions between the stored form of a kind and its other served versions, where they differ in
// more than apiVersion. Trees are canonical; the result shares strings with its source and lives in `arena`. Constant,
// any thread.
#pragma once

#include <string_view>

#include "value/value.h"

namespace resources {

struct Conversion {
  std::string_view group, version, kind;  // of the served form
  value::Value (*from_storage)(value::Arena& arena, const value::Value& stored);
  value::Value (*to_storage)(value::Arena& arena, const value::Value& served);
};

// Null where the served form is the stored one.
const Conversion* FindConversion(std::string_view group, std::string_view version, std::string_view kind);

}  // namespace resources
