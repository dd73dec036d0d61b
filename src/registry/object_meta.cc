#include "registry/object_meta.h"

#include <algorithm>

namespace registry {
namespace {

using value::Value;

// ObjectMeta's fields in declaration order.
constexpr std::string_view kMetaOrder[] = {"name",
                                           "generateName",
                                           "namespace",
                                           "selfLink",
                                           "uid",
                                           "resourceVersion",
                                           "generation",
                                           "creationTimestamp",
                                           "deletionTimestamp",
                                           "deletionGracePeriodSeconds",
                                           "labels",
                                           "annotations",
                                           "ownerReferences",
                                           "finalizers",
                                           "managedFields"};
constexpr std::string_view kObjectOrder[] = {"kind", "apiVersion", "metadata"};

size_t Place(std::span<const std::string_view> order, std::string_view key) {
  return static_cast<size_t>(std::ranges::find(order, key) - order.begin());
}

}  // namespace

void SetInOrder(const Value& object, value::Arena& arena, std::span<const std::string_view> order, std::string_view key,
                Value member) {
  if (Value* present = object.Find(key)) {
    *present = member;
    return;
  }
  object.Add(arena, key, member);
  auto members = object.members();
  const size_t place = Place(order, key);
  auto after = std::ranges::find_if(members.first(members.size() - 1),
                                    [&](const value::Member& m) { return Place(order, m.key) > place; });
  std::rotate(after, members.end() - 1, members.end());
}

ObjectMeta::ObjectMeta(const Value& object, value::Arena& arena) : meta_(object.Get("metadata")), arena_(&arena) {
  if (meta_.is_object()) return;
  meta_ = Value::Object(arena, std::size(kMetaOrder));
  SetInOrder(object, arena, kObjectOrder, "metadata", meta_);
}

std::optional<int64_t> ObjectMeta::deletion_grace_seconds() const {
  const Value seconds = meta_.Get("deletionGracePeriodSeconds");
  return seconds.is_int() ? std::optional(seconds.AsInt()) : std::nullopt;
}

int64_t ObjectMeta::generation() const {
  const Value generation = meta_.Get("generation");
  return generation.is_int() ? generation.AsInt() : 0;
}

bool ObjectMeta::HasFinalizer(std::string_view finalizer) const {
  return std::ranges::any_of(finalizers().items(), [&](const Value& item) { return item.AsString() == finalizer; });
}

void ObjectMeta::Set(std::string_view key, Value member) {
  const bool container = member.is_array() || member.is_object();
  if (member.is_null() || (container && member.empty())) {
    meta_.Remove(key);
    return;
  }
  SetInOrder(meta_, *arena_, kMetaOrder, key, member);
}

void ObjectMeta::SetString(std::string_view key, std::string_view text) {
  if (text.empty()) {
    meta_.Remove(key);
    return;
  }
  SetInOrder(meta_, *arena_, kMetaOrder, key, Value::String(text));
}

void ObjectMeta::SetGeneration(int64_t generation) {
  if (generation == 0) {
    meta_.Remove("generation");
    return;
  }
  SetInOrder(meta_, *arena_, kMetaOrder, "generation", Value::Int(generation));
}

void ObjectMeta::SetDeletionGraceSeconds(int64_t seconds) {
  SetInOrder(meta_, *arena_, kMetaOrder, "deletionGracePeriodSeconds", Value::Int(seconds));
}

}  // namespace registry
