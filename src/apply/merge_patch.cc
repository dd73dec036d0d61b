#include "apply/merge_patch.h"

#include <algorithm>
#include <vector>

namespace apply {
namespace {

using value::Arena;
using value::Member;
using value::Value;

// The members sorted by key, of duplicates the last.
std::vector<Member> Sorted(const Value& object) {
  std::vector<Member> members(object.members().begin(), object.members().end());
  std::ranges::stable_sort(members, {}, &Member::key);
  auto kept =
      std::unique(members.rbegin(), members.rend(), [](const Member& a, const Member& b) { return a.key == b.key; });
  members.erase(members.begin(), kept.base());
  return members;
}

// A copy of what a patch adds, without the members that are null. Items of lists stay, null or not.
Value WithoutNulls(Arena& arena, const Value& v) {
  if (v.is_array()) {
    Value copy = Value::Array(arena, v.size());
    for (const Value& item : v.items()) copy.Append(arena, WithoutNulls(arena, item));
    return copy;
  }
  if (!v.is_object()) return v;
  Value copy = Value::Object(arena, v.size());
  for (const Member& member : Sorted(v)) {
    if (!member.value.is_null()) copy.Add(arena, member.key, WithoutNulls(arena, member.value));
  }
  return copy;
}

Value Merge(Arena& arena, const Value& document, const Value& patch) {
  if (!document.is_object()) return WithoutNulls(arena, patch);
  if (!patch.is_object()) return patch;
  std::vector<Member> current = Sorted(document);
  std::vector<Member> changes = Sorted(patch);
  Value merged = Value::Object(arena, static_cast<uint32_t>(current.size() + changes.size()));
  auto change = changes.begin();
  auto add_new = [&] {
    if (!change->value.is_null()) merged.Add(arena, change->key, WithoutNulls(arena, change->value));
    ++change;
  };
  for (const Member& member : current) {
    while (change != changes.end() && change->key < member.key) add_new();
    if (change == changes.end() || change->key != member.key) {
      merged.Add(arena, member.key, member.value);
    } else if (change->value.is_null() || member.value.is_null()) {
      add_new();
    } else {
      merged.Add(arena, member.key, Merge(arena, member.value, change->value));
      ++change;
    }
  }
  while (change != changes.end()) add_new();
  return merged;
}

}  // namespace

Value ApplyMergePatch(Arena& arena, const Value& document, const Value& patch) {
  return patch.is_object() ? Merge(arena, document, patch) : WithoutNulls(arena, patch);
}

}  // namespace apply
