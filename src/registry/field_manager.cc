#include "registry/field_manager.h"

#include <algorithm>

#include "api/group_version.h"
#include "apply/apply.h"
#include "apply/check_config.h"
#include "apply/go_convert.h"
#include "registry/stored_form.h"
#include "schema/decode.h"

namespace registry {
namespace {

// The paths that a write through this endpoint resets. What a kind does not say holds for all: an object's own endpoint
// resets its status where that has an endpoint, and the status endpoint the spec.
const apply::FieldSet* ResetFields(const Resource& resource, std::string_view subresource, Arena& arena) {
  const apply::FieldSet* set = nullptr;
  for (const ResetPaths& resets : resource.strategy->facts().resets) {
    if (resets.subresource != subresource) continue;
    for (std::string_view path : resets.paths) set = apply::Union(arena, set, apply::FromDottedPath(arena, path));
    return set;
  }
  if (subresource == "status") return apply::FromDottedPath(arena, "spec");
  return resource.FindSubresource("status") != nullptr ? apply::FromDottedPath(arena, "status") : nullptr;
}

// Entries of managers that have changed nothing have no time.
bool SameButForTime(const Value& a, const Value& b) {
  const auto size = [](const Value& entry) { return entry.size() - (entry.Find("time") != nullptr ? 1 : 0); };
  if (size(a) != size(b)) return false;
  return std::ranges::all_of(a.members(), [&](const value::Member& member) {
    if (member.key == "time") return true;
    const Value* other = b.Find(member.key);
    return other != nullptr && value::Equal(member.value, *other);
  });
}

}  // namespace

apply::Writer FieldManager::WriterFor(std::string_view manager, std::string_view now) const {
  return {.manager = manager,
          .api_version = arena_.CopyString(resource_.group_version()),
          .subresource = subresource_,
          .now = now,
          .reset_fields = ResetFields(resource_, subresource_, arena_)};
}

const Resource* FieldManager::Serving(std::string_view api_version) const {
  const auto named = api::GroupVersion::Parse(api_version);
  // What the same objects are in another group (events) is nobody else's version.
  if (!named || named->group != resource_.group) return nullptr;
  const Resource* other = resources_.Find(named->group, named->version, resource_.plural);
  return other != nullptr && other->storage == resource_.storage ? other : nullptr;
}

std::optional<apply::VersionedObject> FieldManager::InVersion(const Value& object, std::string_view from,
                                                              std::string_view to) const {
  const Resource* source = Serving(from);
  const Resource* target = Serving(to);
  if (source == nullptr || target == nullptr) return std::nullopt;
  if (source == target) return apply::VersionedObject{target->type, object};
  if (Waits(*source) || Waits(*target)) {
    if (conversions_ == nullptr) return std::nullopt;
    const std::optional<Value> converted = conversions_->Find(*source, *target, object, arena_);
    if (!converted) return std::nullopt;
    return apply::VersionedObject{target->type, *converted};
  }
  // By way of a map and of Go's struct. What has no place in it, which a configuration may say, goes over as it is and
  // does not fit later.
  const Value document = value::DeepCopy(arena_, object);
  const bool fits = apply::GoConvert(arena_, *source->type, document).has_value();
  const auto decoded = schema::Decode(*source->type, fits ? document : object, arena_, nullptr);
  const Value typed = decoded ? *decoded : object;
  const Value stored =
      source->converter != nullptr ? source->converter->Now(Converter::To::kStored, arena_, typed) : typed;
  return apply::VersionedObject{target->type, target->converter != nullptr
                                                  ? target->converter->Now(Converter::To::kServed, arena_, stored)
                                                  : stored};
}

api::Result<Value> FieldManager::ApplyByForce(std::string_view manager, std::string_view now, const Value& live,
                                              const Value& configuration) const {
  const auto convert = [this](const Value& other, std::string_view from, std::string_view to) {
    return InVersion(other, from, to);
  };
  auto applied =
      apply::Apply(arena_, *resource_.type, live, configuration, WriterFor(manager, now), {.force = true}, convert);
  if (!applied) return std::unexpected(std::move(applied.error()));
  return schema::Decode(*resource_.type, value::DeepCopy(arena_, applied->object), arena_, nullptr);
}

void FieldManager::Track(std::string_view manager, std::string_view now, const Value* live, const Value& object) const {
  // A custom resource may be none of its schema, or of that of another version: then nobody owns anything.
  const auto fits = [this](const schema::Type& type, const Value& of) {
    return !resource_.custom || apply::CheckLive(arena_, type, of).empty();
  };
  const Value nothing = Value::Object(arena_);
  bool is_sound = fits(*resource_.type, object) && (live == nullptr || fits(*resource_.type, *live));
  const auto convert = [&](const Value& other, std::string_view from, std::string_view to) {
    const Resource* const target = Serving(to);
    const bool is_renamed = resource_.custom && from != to && target != nullptr && !Waits(*target) && !Waits(resource_);
    auto converted = InVersion(other, from, to);
    if (is_renamed) {
      // Without a webhook another version is nothing but another name here, of all that the object says.
      const Value renamed = Value::Object(arena_, other.size());
      for (const value::Member& member : other.members()) renamed.Add(arena_, member.key, member.value);
      renamed.Set(arena_, "apiVersion", Value::Copy(arena_, to));
      converted = apply::VersionedObject{target->type, renamed};
    }
    if (converted && from != to) is_sound = is_sound && fits(*converted->type, converted->object);
    return converted;
  };
  Value managed = is_sound ? apply::TrackUpdate(arena_, *resource_.type, live != nullptr ? *live : nothing, object,
                                                WriterFor(manager, now), live == nullptr, convert)
                           : Value();
  if (!is_sound) managed = Value();
  Value metadata = object.Get("metadata");
  if (!metadata.is_object()) {
    if (managed.is_null()) return;
    metadata = Value::Object(arena_, 1);
    object.Set(arena_, "metadata", metadata);
  }
  if (managed.is_null()) {
    metadata.Remove("managedFields");
  } else {
    metadata.Set(arena_, "managedFields", managed);
  }
}

void FieldManager::KeepTimesOfUnchanged(const Value& object, const Value& old) const {
  const Value entries = object.Get({"metadata", "managedFields"}), old_entries = old.Get({"metadata", "managedFields"});
  if (entries.size() != old_entries.size() || entries.empty() || value::Equal(entries, old_entries)) return;
  if (!std::ranges::equal(entries.items(), old_entries.items(), SameButForTime)) return;
  if (!value::Equal(apply::WithoutManagedFields(arena_, object), apply::WithoutManagedFields(arena_, old))) return;
  object.Get("metadata").Set(arena_, "managedFields", old_entries);
}

}  // namespace registry
