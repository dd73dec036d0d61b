#include "resources/rules/generation.h"

#include "registry/object_meta.h"
#include "value/member_index.h"

namespace resources {
namespace {

using value::Value;

bool IsEmpty(const Value& v) {
  if (v.is_string()) return v.AsString().empty();
  return (v.is_array() || v.is_object()) && v.empty();
}

// Whether a list, map or string of `a`, at any depth, is empty where `b` has none.
bool HasMoreEmpty(const Value& a, const Value& b) {
  if (IsEmpty(a)) return a.kind() != b.kind();
  if (a.is_array()) {
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (HasMoreEmpty(a[i], b.is_array() && i < b.size() ? b[i] : Value())) return true;
    }
    return false;
  }
  const value::MemberIndex others(b);
  for (const value::Member& member : a.members()) {
    const Value* other = others.Find(member.key);
    if (HasMoreEmpty(member.value, other != nullptr ? *other : Value())) return true;
  }
  return false;
}

}  // namespace

void CountChanges(const registry::WriteContext& context, const Value& object, const Value& old,
                  std::string_view member) {
  const Value now = object.Get(member), before = old.Get(member);
  if (!context.subresource.empty() || (!HasMoreEmpty(now, before) && !HasMoreEmpty(before, now))) return;
  registry::ObjectMeta meta(object, context.arena);
  meta.SetGeneration(registry::ObjectMeta(old).generation() + 1);
}

}  // namespace resources
