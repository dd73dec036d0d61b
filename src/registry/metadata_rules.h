// What every object's metadata must keep, with the real server's texts and order. Called by the registry on each write,
// and by kinds whose own validation repeats it. Pure functions, any thread. Errors are appended; a good object costs no
// allocation.
#pragma once

#include "absl/functional/function_ref.h"
#include "api/error.h"
#include "registry/object_meta.h"
#include "registry/resource.h"

namespace registry {

// Of a created object, and of any object as a whole. `check` is the kind's name rule; null is that of path segments.
void CheckMetadata(const ObjectMeta& meta, bool namespaced, NameCheck check, api::FieldErrors& errors);
// The same where the rule for names knows the object.
using NameRule = absl::FunctionRef<api::Complaints(std::string_view name, bool prefix)>;
void CheckMetadata(const ObjectMeta& meta, bool namespaced, NameRule rule, api::FieldErrors& errors);
// What most kinds ask beyond that: finalizers are standard names or have a domain.
void CheckStrictFinalizers(const ObjectMeta& meta, api::FieldErrors& errors);
// Of a change: what may not change, and the parts that are checked again.
void CheckMetadataUpdate(const ObjectMeta& meta, const ObjectMeta& old, api::FieldErrors& errors);

}  // namespace registry
