// The difference of two structs as error texts show it: the fields that differ, as they were and as they would be.
// Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "value/value.h"

namespace resources {

// Of `old` and `now`, whose type Go calls `go_type` ("core.PersistentVolumeClaimSpec"); `fields` in the type's order.
std::string StructDifference(std::string_view go_type, std::span<const std::string_view> fields,
                             const value::Value& old, const value::Value& now);

}  // namespace resources
