// A Value as YAML, byte for byte as the API writes `application/yaml`: what Go's sigs.k8s.io/yaml makes of the object's
// JSON.
//
// Block style, two spaces a level, lists at their parent's level, keys sorted (letters before other signs, numbers
// inside keys by their value), strings quoted where they would read as something else, text with line ends as `|`
// blocks, long lines folded at 80. What is so deep that its indents would outgrow it is written in one line, as JSON.
// Appends to `out`; ends with a newline. Pure, any thread. Recurses as deep as the tree: readers bound that.
#pragma once

#include <string>

#include "value/value.h"

namespace value {

void WriteYaml(const Value& v, std::string& out);

}  // namespace value
