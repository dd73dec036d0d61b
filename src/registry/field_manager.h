// Ownership: keeps metadata.managedFields of one resource's objects up to date: what apply/ needs to know of the
// resource (fields that an endpoint resets, other served versions) around its tracking of writes. Made per request on
// the stack; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "apply/managed_fields.h"
#include "registry/pending_conversions.h"
#include "registry/resource_table.h"

namespace registry {

class FieldManager {
 public:
  // `subresource` is "" for the object itself. `arena` outlives this and holds what it gives.
  // `conversions` (may be null: then there are none) are asked where a version's converter has to be waited for.
  FieldManager(const ResourceTable& resources, const Resource& resource, std::string_view subresource, Arena& arena,
               PendingConversions* conversions = nullptr)
      : resources_(resources),
        resource_(resource),
        subresource_(subresource),
        arena_(arena),
        conversions_(conversions) {}

  // Sets managedFields of `object`, which `manager` ("" is unknown) writes in place of `live` (null: it is created).
  // Both canonical, of the served version. `now` is RFC 3339 and lives in the arena.
  void Track(std::string_view manager, std::string_view now, const Value* live, const Value& object) const;

  // Where `object` owns nothing but newer times than `old`, and says nothing new itself, the old times come back: such
  // a write is none.
  void KeepTimesOfUnchanged(const Value& object, const Value& old) const;

  // What `live`, of the served version, becomes where `manager` applies `configuration` by force. Canonical.
  api::Result<Value> ApplyByForce(std::string_view manager, std::string_view now, const Value& live,
                                  const Value& configuration) const;

  // For apply::Apply.
  apply::Writer WriterFor(std::string_view manager, std::string_view now) const;
  // `object`, of the served version `from`, as the version `to` has it; nullopt where nobody serves that.
  std::optional<apply::VersionedObject> InVersion(const Value& object, std::string_view from,
                                                  std::string_view to) const;

 private:
  // What serves the same objects in that version; null where nobody does.
  const Resource* Serving(std::string_view api_version) const;

  const ResourceTable& resources_;
  const Resource& resource_;
  std::string_view subresource_;
  Arena& arena_;
  PendingConversions* const conversions_;
};

}  // namespace registry
