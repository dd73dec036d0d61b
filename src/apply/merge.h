// Merge and prune: how server-side apply makes the new object out of the live one and the applier's configuration.
// Pure; any thread.
#pragma once

#include <optional>

#include "apply/field_set.h"
#include "apply/typed.h"

namespace apply {

struct Merged {
  Value object;
  bool reordered = false;  // items that live has stand in another order: a change that no path tells
};

// `live` with `config` laid over it: leaves of config win, lists with identity are merged by it (config's order first
// among what both have). Shares parts with both. Items of config's lists must be identified and distinct (CheckConfig
// has said so).
Merged Merge(Arena& arena, const schema::Type& type, const Value& live, const Value& config);

// `object` without the paths of `paths`. What becomes empty by it is null.
Value RemovePaths(Arena& arena, const schema::Type& type, const Value& object, const FieldSet* paths);

// `paths`, and every object field on the way to them that has a name in the schema.
const FieldSet* WithNamedParents(Arena& arena, const schema::Type& type, const FieldSet* paths);

}  // namespace apply
