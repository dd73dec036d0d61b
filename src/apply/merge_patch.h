// JSON merge patch (RFC 7386) over document trees. Called by the patch handler inside an update. Pure; any thread.
#pragma once

#include "value/value.h"

namespace apply {

// `document` with `patch` merged into it; shares parts with both and changes neither. Nulls of the patch remove members, also where
// they stand in what the patch adds. Objects that the patch walks through are left sorted by key (see json_patch.h).
// Recursion goes as deep as the patch does, which its reader has bounded.
value::Value ApplyMergePatch(value::Arena& arena, const value::Value& document, const value::Value& patch);

}  // namespace apply
