// How two objects differ, as the real server tells in errors about what may not change: the text of Go's structural
// comparison (go-cmp), over the internal form of the type. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "schema/schema.h"
#include "value/value.h"

namespace resources {

// Lines that begin with `-` are of `before`, with `+` of `after`; both are canonical trees of `type`. "" where they are
// the same.
std::string Difference(const schema::Type& type, const value::Value& before, const value::Value& after);

// The same of a struct that only the internal form has: `go_type` is its name ("core.PersistentVolumeSource").
std::string Difference(std::string_view go_type, const value::Value& before, const value::Value& after);

}  // namespace resources
