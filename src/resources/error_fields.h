// For tests of the order of errors, whose texts other tests hold.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"

namespace resources {

// The fields that `errors`, a line each as KindFixture gives them, speak of, in their order: "metadata.name spec.a".
inline std::string FieldsOf(std::string_view errors) {
  std::string fields;
  while (!errors.empty()) {
    const std::string_view line = errors.substr(0, errors.find('\n'));
    base::Append(fields, fields.empty() ? "" : " ", line.substr(0, line.find(": ")));
    errors.remove_prefix(std::min(errors.size(), line.size() + 1));
  }
  return fields;
}

}  // namespace resources
