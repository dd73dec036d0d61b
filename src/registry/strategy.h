// Strategy: what every create and update does to an object between admission and the store, in the real server's order,
// with the kind's Strategy (registry/resource_strategy.h) called in its place. Used by the registry's verbs; nothing
// here waits or knows the store. Any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "api/error.h"
#include "base/clock.h"
#include "base/random.h"
#include "registry/object_meta.h"
#include "registry/registry.h"
#include "registry/resource.h"

namespace registry {

// RFC 3339, whole seconds, UTC.
std::string TimeText(std::chrono::system_clock::time_point time);
// `rfc3339`, as TimeText writes it, moved by some seconds; what is beyond 292 years goes round, as in Go's durations.
std::string AddSeconds(std::string_view rfc3339, int64_t seconds);
// `base` cut so that five random characters fit into 63.
std::string GenerateName(std::string_view base, base::Random& random);

// Drops what only the server sets. First step of a create.
void WipeSystemFields(ObjectMeta& meta);
// The object's namespace becomes the request's; 400 where it names another.
api::Result<> MatchNamespace(const Resource& resource, std::string_view namespace_name, ObjectMeta& meta);
// Owner references that are the same twice are left once, with a warning, whose words are others for a patch.
void DropRepeatedOwners(ObjectMeta& meta, bool is_patch, std::vector<std::string>& warnings);

// From filled-in metadata to an object that may be stored: strategy, validation (422), warnings, canonical form.
api::Result<> BeforeCreate(WriteContext& context, Value object, std::string_view namespace_name);
// The same for a change of `old`. metadata.resourceVersion of `object` is set.
api::Result<> BeforeUpdate(WriteContext& context, Value object, const Value& old, std::string_view namespace_name);

}  // namespace registry
