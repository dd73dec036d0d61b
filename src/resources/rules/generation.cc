#include "resources/rules/generation.h"

#include "registry/object_meta.h"

namespace resources {
namespace {

using value::Value;

// Whether a list of `object`, at any depth, is empty where `old` has none.
bool HasNewEmptyList(const Value& object, const Value& old) {
  if (object.is_array()) {
    if (object.empty()) return !old.is_array();
    for (uint32_t i = 0; i < object.size(); ++i) {
      if (HasNewEmptyList(object[i], old.is_array() && i < old.size() ? old[i] : Value())) return true;
    }
    return false;
  }
  for (const value::Member& member : object.members()) {
    if (HasNewEmptyList(member.value, old.Get(member.key))) return true;
  }
  return false;
}

}  // namespace

void CountChanges(const registry::WriteContext& context, const Value& object, const Value& old,
                  std::string_view member) {
  if (!context.subresource.empty() || !HasNewEmptyList(object.Get(member), old.Get(member))) return;
  registry::ObjectMeta meta(object, context.arena);
  meta.SetGeneration(registry::ObjectMeta(old).generation() + 1);
}

}  // namespace resources
