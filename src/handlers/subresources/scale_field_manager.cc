#include "handlers/subresources/scale_field_manager.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace handlers {

namespace {

using apply::Manager;
using apply::Managers;
using value::Arena;
using value::Value;

constexpr std::string_view kScaleVersion = "autoscaling/v1";

// Entries that cannot be read own nothing.
Managers Decode(Arena& arena, const Value& fields) {
  auto managers = Managers::Decode(arena, fields);
  return managers ? *std::move(managers) : Managers();
}

}  // namespace

ScaleFieldManager::ScaleFieldManager(const Value& parent_fields, std::string_view api_version,
                                     std::string_view parent_path, Arena& arena)
    : parent_fields_(parent_fields),
      api_version_(api_version),
      arena_(arena),
      of_scale_(apply::FromDottedPath(arena, "spec.replicas")),
      of_parent_(apply::FromDottedPath(arena, parent_path)) {}

bool ScaleFieldManager::Owns(Managers& managers, Manager& manager, const apply::FieldSet* replicas) const {
  return apply::Intersection(arena_, managers.Fields(arena_, manager), replicas) != nullptr;
}

Value ScaleFieldManager::OfScale() const {
  Managers parents = Decode(arena_, parent_fields_);
  Managers owners;
  for (Manager& parent : parents.list()) {
    if (!Owns(parents, parent, of_parent_)) continue;
    Manager owner = parent;
    owner.api_version = kScaleVersion;
    Managers::SetFields(owner, of_scale_);
    owners.list().push_back(owner);
  }
  return owners.Encode(arena_);
}

Value ScaleFieldManager::Track(const schema::Type& scale_type, const Value& present, const Value& updated,
                               std::string_view manager, std::string_view now) const {
  auto in_version = [&](const Value& object, std::string_view,
                        std::string_view version) -> std::optional<apply::VersionedObject> {
    if (version != kScaleVersion) return std::nullopt;
    return apply::VersionedObject{&scale_type, object};
  };
  apply::Writer writer{.manager = manager, .api_version = kScaleVersion, .subresource = "scale", .now = now};
  return apply::TrackUpdate(arena_, scale_type, present, updated, writer, /*creating=*/false, in_version);
}

Value ScaleFieldManager::OfParent(const Value& scale_fields) const {
  Managers parents = Decode(arena_, parent_fields_), owners = Decode(arena_, scale_fields), merged;
  for (Manager& parent : parents.list()) {
    if (Owns(parents, parent, of_parent_)) {
      // An update's entry is told by its version too, and a Scale has another: only appliers are found again.
      auto same = std::ranges::find_if(owners.list(), [&](const Manager& owner) {
        return parent.applied && owner.applied && owner.name == parent.name && owner.subresource == parent.subresource;
      });
      if (same == owners.list().end()) {
        Managers::SetFields(parent, apply::Difference(arena_, parents.Fields(arena_, parent), of_parent_));
      } else {
        owners.list().erase(same);
      }
    }
    merged.list().push_back(parent);
  }
  for (Manager& owner : owners.list()) {
    if (!Owns(owners, owner, of_scale_)) continue;
    owner.api_version = api_version_;
    owner.time = "";
    Managers::SetFields(owner, of_parent_);
    merged.list().push_back(owner);
  }
  merged.DropEmpty();
  return merged.Encode(arena_);
}

}  // namespace handlers
