// CheckConfig: holds an applied configuration against the schema before it is merged: fields exist, kinds fit, list items are identified and
// distinct. CheckLive: what is wrong with the object that it is applied to. Pure; any thread.
#pragma once

#include <string>

#include "apply/typed.h"

namespace apply {

// "" where `config` fits, else the real server's text: ".spec.replicas: expected numeric (int or float), got string"; several
// errors stand below each other after "errors:".
std::string CheckConfig(Arena& arena, const schema::Type& type, const Value& config);

// The same of a canonical tree, whose lists may repeat items.
std::string CheckLive(Arena& arena, const schema::Type& type, const Value& live);

}  // namespace apply
