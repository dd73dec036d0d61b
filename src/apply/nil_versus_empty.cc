#include "apply/nil_versus_empty.h"

#include <algorithm>

#include "apply/typed.h"

namespace apply {
namespace {

using schema::Field;
using value::Member;

bool IsHiddenBytes(const Field& field, const Value& v) {
  return field.kind == schema::FieldKind::kBytes && field.omitempty && !field.pointer &&
         field.shape == schema::Shape::kSingle && v.is_string() && v.AsString().empty();
}

bool HoldsEmptyString(const Value& v) {
  if (v.is_string()) return v.AsString().empty();
  return std::ranges::any_of(v.items(), HoldsEmptyString) ||
         std::ranges::any_of(v.members(), [](const Member& member) { return HoldsEmptyString(member.value); });
}

// Takes them out of `object`, in place.
void Strip(const schema::Type& type, const Value& object) {
  uint32_t kept = 0;
  for (const Member& member : object.members()) {
    const Field* field = FindField(type, member.key);
    if (field != nullptr && IsHiddenBytes(*field, member.value)) continue;
    if (field != nullptr && field->kind == schema::FieldKind::kRef && field->ref != nullptr) {
      if (field->shape == schema::Shape::kSingle) Strip(*field->ref, member.value);
      for (const Value& item : member.value.items()) Strip(*field->ref, item);
      if (field->shape == schema::Shape::kMap) {
        for (const Member& entry : member.value.members()) Strip(*field->ref, entry.value);
      }
    }
    object.members()[kept++] = member;
  }
  if (object.is_object()) object.Truncate(kept);
}

}  // namespace

bool IsHidden(const Field& field, const Value& v) {
  if (!field.omitempty) return false;
  return field.shape != schema::Shape::kSingle ? v.empty() : IsHiddenBytes(field, v);
}

Value WithoutHiddenBytes(Arena& arena, const schema::Type& type, const Value& object) {
  if (type.structural != nullptr || !HoldsEmptyString(object)) return object;
  const Value copy = value::DeepCopy(arena, object);
  Strip(type, copy);
  return copy;
}

}  // namespace apply
