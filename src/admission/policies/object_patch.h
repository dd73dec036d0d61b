// What a mutation of a policy does to an object: a JSON patch, or a configuration that is merged as server-side apply
// merges it, without owners. Pure; one thread. Cost: linear in the object and the patch, within apply/json_patch.h.
#pragma once

#include <string>

#include "api/error.h"
#include "registry/resource.h"
#include "value/value.h"

namespace admission {

// The object of an admission request: its type and what it calls itself.
struct PatchedKind {
  const schema::Type* type = nullptr;
  std::string_view api_version, kind;
};

struct ObjectPatch {
  value::Value object;  // canonical; null where nothing is to be changed
  std::string refused;  // why the patch does not apply
};

// `object` is canonical. A patch whose `test` fails changes nothing. Fails (500) where what comes of it is no object of
// the type.
api::Result<ObjectPatch> ApplyJsonPatch(const PatchedKind& kind, const value::Value& object,
                                        const value::Value& operations, value::Arena& arena);
api::Result<ObjectPatch> ApplyConfiguration(const PatchedKind& kind, const value::Value& object,
                                            const value::Value& configuration, value::Arena& arena);

// Puts the members of `from` in place of those of `to`, whose containers (and its metadata's) stay: others hold them.
void ReplaceObject(const value::Value& to, const value::Value& from, value::Arena& arena);

}  // namespace admission
