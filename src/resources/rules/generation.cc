#include "resources/rules/generation.h"

#include "registry/object_meta.h"

namespace resources {
namespace {

using value::Value;

// Whether a list or map of `object`, at any depth, is empty where `old` has none.
bool HasNewEmpty(const Value& object, const Value& old) {
  if ((object.is_array() || object.is_object()) && object.empty()) return old.kind() != object.kind();
  if (object.is_array()) {
    for (uint32_t i = 0; i < object.size(); ++i) {
      if (HasNewEmpty(object[i], old.is_array() && i < old.size() ? old[i] : Value())) return true;
    }
    return false;
  }
  for (const value::Member& member : object.members()) {
    if (HasNewEmpty(member.value, old.Get(member.key))) return true;
  }
  return false;
}

}  // namespace

void CountChanges(const registry::WriteContext& context, const Value& object, const Value& old,
                  std::string_view member) {
  if (!context.subresource.empty() || !HasNewEmpty(object.Get(member), old.Get(member))) return;
  registry::ObjectMeta meta(object, context.arena);
  meta.SetGeneration(registry::ObjectMeta(old).generation() + 1);
}

}  // namespace resources
