// CheckConfig: holds an applied configuration against the schema before it is merged: fields exist, kinds fit, list items are identified and
// distinct. Pure; any thread.
#pragma once

#include <string>

#include "apply/typed.h"

namespace apply {

// "" where `config` fits, else the real server's text: ".spec.replicas: expected numeric (int or float), got string"; several
// errors stand below each other after "errors:".
std::string CheckConfig(Arena& arena, const schema::Type& type, const Value& config);

}  // namespace apply
