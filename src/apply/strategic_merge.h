// Strategic merge patch: a merge patch that knows from the schema which lists are merged and by what key, with the
// directives $patch, $retainKeys, $deleteFromPrimitiveList/FIELD and $setElementOrder/FIELD. Called by the patch
// handler inside an update. Pure; any thread.
#pragma once

#include "base/result.h"
#include "schema/schema.h"
#include "value/value.h"

namespace apply {

// `document` (the object as its JSON says it) with `patch` merged into it; parts are shared. The directives that were
// followed, the lists that they order, and the nulls and directives in what met nothing are taken out of `patch`:
// messages that show it afterwards show it so.
// Errors carry the real server's text: kInvalid for malformed directives (400), kInternal for everything else it cannot
// merge (500).
base::Result<value::Value> ApplyStrategicMerge(value::Arena& arena, const schema::Type& type,
                                               const value::Value& document, const value::Value& patch);

}  // namespace apply
