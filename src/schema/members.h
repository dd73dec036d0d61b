// Members of trees in the order in which encoders and comparisons need them: they are nearly always in it, and put
// there where not.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/schema.h"
#include "value/value.h"

namespace schema {

// Keys of canonical trees are the schema's own strings: usually one comparison of pointers.
inline bool SameName(std::string_view key, std::string_view name) {
  return key.size() == name.size() &&
         (key.data() == name.data() || std::memcmp(key.data(), name.data(), name.size()) == 0);
}

// The index of the member of that name, or -1. Members mostly follow each other as the type's do, some left out: those
// from `expected` on are looked at first.
inline int MemberIndexFrom(const Type& type, size_t expected, std::string_view name) {
  constexpr size_t kNear = 8;
  const size_t end = std::min(expected + kNear, type.members.size());
  for (size_t i = expected; i < end; ++i) {
    if (SameName(name, type.members[i]->name)) return static_cast<int>(i);
  }
  return type.MemberIndex(name);
}

// Puts the values of the members that `type` knows where its members have them in `places`, which are null; of equal
// members the first stays.
inline void PlaceMembers(const Type& type, const value::Value& object, const value::Value** places) {
  size_t expected = 0;
  for (const value::Member& member : object.members()) {
    const int index = MemberIndexFrom(type, expected, member.key);
    if (index < 0) continue;
    expected = static_cast<size_t>(index) + 1;
    if (places[index] == nullptr) places[index] = &member.value;
  }
}

// A map's members by key, as Go writes them.
class SortedMap {
 public:
  explicit SortedMap(const value::Value& map) : members_(map.members()) {
    if (std::ranges::is_sorted(members_, {}, &value::Member::key)) return;
    copy_.assign(members_.begin(), members_.end());
    std::ranges::stable_sort(copy_, {}, &value::Member::key);
    members_ = copy_;
  }
  SortedMap(const SortedMap&) = delete;
  SortedMap& operator=(const SortedMap&) = delete;
  std::span<const value::Member> members() const { return members_; }

 private:
  std::vector<value::Member> copy_;
  std::span<const value::Member> members_;
};

// Sorts by key; of equal keys the last stays. Gives the new size.
inline size_t SortKeepingLast(std::span<value::Member> members) {
  if (std::ranges::is_sorted(members, std::less<>(), &value::Member::key) &&
      std::ranges::adjacent_find(members, {}, &value::Member::key) == members.end()) {
    return members.size();
  }
  std::ranges::stable_sort(members, std::less<>(), &value::Member::key);
  size_t kept = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    if (i + 1 < members.size() && members[i].key == members[i + 1].key) continue;
    members[kept++] = members[i];
  }
  return kept;
}

// Whether `v`, of a field that is no pointer, is what Go's zero value of the field would be.
inline bool IsZeroValue(const Field& field, const value::Value& v) {
  if (field.shape != Shape::kSingle) return v.is_null();
  switch (field.kind) {
    case FieldKind::kString:
      return v.is_null() || v.AsString().empty();
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kIntOrString:
      return v.is_null() || (v.is_int() && v.AsInt() == 0);
    case FieldKind::kDouble:
      return v.is_null() || v.AsDouble() == 0;
    case FieldKind::kBool:
      return v.is_null() || !v.AsBool();
    case FieldKind::kQuantity:
      return v.is_null() || v.AsString() == "0";
    case FieldKind::kRef:
      return v.is_null() || (v.is_object() && v.empty());
    default:
      return v.is_null();
  }
}

}  // namespace schema
