#include "admission/policies/object_patch.h"

#include <vector>

#include "admission/policies/policy_request.h"
#include "apply/check_config.h"
#include "apply/json_patch.h"
#include "apply/merge.h"
#include "apply/typed.h"
#include "base/text.h"
#include "schema/decode.h"

namespace admission {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

constexpr int kMaxDepth = 1000;

Value Named(const PatchedKind& kind, const Value& object, Arena& arena) {
  const Value named = Value::ObjectOf(arena, object.members());
  named.Set(arena, "apiVersion", Value::Copy(arena, kind.api_version));
  named.Set(arena, "kind", Value::Copy(arena, kind.kind));
  return named;
}

// Values that cannot be changed in part: a configuration would replace what others have put there.
void FindAtomics(const apply::Slot& slot, const Value& value, const std::string& path, int depth,
                 std::vector<std::string>& atomics) {
  if (depth > kMaxDepth || (!value.is_object() && !value.is_array())) return;
  const apply::Form form = apply::FormOf(slot, value);
  if (form == apply::Form::kLeaf) {
    atomics.push_back(path);
    return;
  }
  if (value.is_array()) {
    for (uint32_t i = 0; i < value.size(); ++i) {
      FindAtomics(apply::ElementOf(slot), value[i], Cat(path, "[", i, "]"), depth + 1, atomics);
    }
    return;
  }
  if (form != apply::Form::kObject) return;
  for (const value::Member& member : value.members()) {
    apply::Slot inner;
    if (!apply::SlotOfMember(slot, form, member.key, inner)) continue;
    FindAtomics(inner, member.value, Cat(path, ".", member.key), depth + 1, atomics);
  }
}

bool IsFailedTest(std::string_view message) {
  return message.starts_with("testing value ") && message.ends_with(" failed");
}

}  // namespace

api::Result<ObjectPatch> ApplyJsonPatch(const PatchedKind& kind, const Value& object, const Value& operations,
                                        Arena& arena) {
  const Value document = AsShown(kind.type, Named(kind, object, arena), arena);
  const auto patched = apply::ApplyJsonPatch(arena, document, operations);
  if (!patched) {
    if (IsFailedTest(patched.error().message)) return ObjectPatch{};
    return ObjectPatch{.object = {}, .refused = Cat("JSON Patch: ", patched.error().message)};
  }
  schema::Findings findings;
  auto decoded = schema::Decode(*kind.type, value::DeepCopy(arena, *patched), arena, &findings);
  if (!decoded) return api::Fail(api::Internal(decoded.error().message));
  if (!findings.in_order.empty()) {
    return api::Fail(api::Internal(Cat("strict decoding error: ", base::Join(findings.in_order, ", "))));
  }
  return ObjectPatch{.object = *decoded, .refused = {}};
}

api::Result<ObjectPatch> ApplyConfiguration(const PatchedKind& kind, const Value& object, const Value& configuration,
                                            Arena& arena) {
  const auto refuse = [](const std::string& why) {
    return ObjectPatch{.object = {}, .refused = Cat("error applying patch: ", why)};
  };
  const Value patch = Named(kind, configuration, arena);
  if (const std::string wrong = apply::CheckConfig(arena, *kind.type, patch); !wrong.empty()) {
    return refuse(Cat("failed to convert patch object to typed object: ", wrong));
  }
  std::vector<std::string> atomics;
  FindAtomics(apply::Slot::Object(*kind.type), patch, "", 0, atomics);
  if (!atomics.empty()) {
    return refuse(
        Cat("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ", base::Join(atomics, ", ")));
  }
  const apply::Merged merged = apply::Merge(arena, *kind.type, Named(kind, object, arena), patch);
  auto decoded = schema::Decode(*kind.type, value::DeepCopy(arena, merged.object), arena, nullptr);
  if (!decoded) return api::Fail(api::Internal(decoded.error().message));
  return ObjectPatch{.object = *decoded, .refused = {}};
}

void ReplaceObject(const Value& to, const Value& from, Arena& arena) {
  const Value metadata = to.Get("metadata");
  const std::vector<value::Member> members(from.members().begin(), from.members().end());
  to.Truncate(0);
  for (const value::Member& member : members) {
    if (member.key == "metadata" && metadata.is_object() && member.value.is_object() &&
        !metadata.SameAs(member.value)) {
      ReplaceObject(metadata, member.value, arena);
      to.Add(arena, member.key, metadata);
    } else {
      to.Add(arena, member.key, member.value);
    }
  }
}

}  // namespace admission
