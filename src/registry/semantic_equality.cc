#include "registry/semantic_equality.h"

#include <algorithm>
#include <string>

#include "api/quantity.h"
#include "schema/encode.h"
#include "value/identical.h"
#include "value/member_index.h"

namespace registry {
namespace {

using schema::Field;
using schema::Shape;
using value::Value;

bool SameField(const Field& field, const Value* a, const Value* b);

// Amounts are the same however they are written: 1Gi and 1073741824.
bool SameAmount(const Value& a, const Value& b) {
  if (value::Equal(a, b)) return true;
  if (!a.is_string() || !b.is_string()) return false;
  const auto x = api::Quantity::Parse(a.AsString()), y = api::Quantity::Parse(b.AsString());
  return x && y && *x == *y;
}

// What no schema describes is the text that was sent.
bool SameText(const Value& a, const Value& b) {
  std::string x, y;
  schema::AppendRawExtension(a, x);
  schema::AppendRawExtension(b, y);
  return x == y;
}

bool SameItem(const Field& field, const Value& a, const Value& b) {
  if (field.kind == schema::FieldKind::kRawExtension) return SameText(a, b);
  if (field.kind == schema::FieldKind::kQuantity) return SameAmount(a, b);
  if (field.kind != schema::FieldKind::kRef || field.ref == nullptr) return value::Equal(a, b);
  return Same(*field.ref, a, b);
}

bool SameList(const Field& field, const Value& a, const Value& b) {
  return std::ranges::equal(a.items(), b.items(),
                            [&](const Value& x, const Value& y) { return SameItem(field, x, y); });
}

bool SameMap(const Field& field, const Value& a, const Value& b) {
  if (a.size() != b.size()) return false;
  const value::MemberIndex others(b);
  return std::ranges::all_of(a.members(), [&](const value::Member& member) {
    const Value* other = others.Find(member.key);
    return other != nullptr && SameItem(field, member.value, *other);
  });
}

bool SameField(const Field& field, const Value* a, const Value* b) {
  if (field.shape != Shape::kSingle) {
    const Value x = a != nullptr ? *a : Value(), y = b != nullptr ? *b : Value();
    return field.shape == Shape::kList ? SameList(field, x, y) : SameMap(field, x, y);
  }
  if (a != nullptr && b != nullptr) return SameItem(field, *a, *b);
  if (field.kind == schema::FieldKind::kBytes && a != b) return (a != nullptr ? a : b)->AsString().empty();
  return a == b || (!field.pointer && (a != nullptr ? a : b)->is_object() &&
                    SameItem(field, a != nullptr ? *a : Value(), b != nullptr ? *b : Value()));
}

}  // namespace

bool Same(const schema::Type& type, const Value& a, const Value& b) {
  if (value::Identical(a, b)) return true;  // nearly always, and cheap to see
  if (type.special != schema::Special::kNone) return value::Equal(a, b);
  const auto same = [&](const Value& from, const Value& to, bool only_missing) {
    return std::ranges::all_of(from.members(), [&](const value::Member& member) {
      const Value* other = to.Find(member.key);
      if (only_missing && other != nullptr) return true;
      const Field* field = type.Member(member.key);
      return field == nullptr ? other != nullptr && value::Equal(member.value, *other)
                              : SameField(*field, &member.value, other);
    });
  };
  return same(a, b, false) && same(b, a, true);
}

bool SameAt(const schema::Type& type, std::string_view path, const Value& a, const Value& b) {
  const size_t dot = path.find('.');
  const std::string_view step = path.substr(0, dot);
  const Field* field = type.Member(step);
  if (field == nullptr) return value::Equal(a.Get(step), b.Get(step));
  if (dot == std::string_view::npos) return SameField(*field, a.Find(step), b.Find(step));
  return SameAt(*field->ref, path.substr(dot + 1), a.Get(step), b.Get(step));
}

bool SameButForCollector(const schema::Type& type, const Value& a, const Value& b, value::Arena& arena) {
  const Value x = value::DeepCopy(arena, a), y = value::DeepCopy(arena, b);
  for (const Value& side : {x, y}) {
    for (std::string_view part : {"ownerReferences", "finalizers", "managedFields"}) side.Get("metadata").Remove(part);
  }
  return Same(type, x, y);
}

}  // namespace registry
