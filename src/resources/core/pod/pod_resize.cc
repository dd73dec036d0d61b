// What a write through `resize` may change: how much of the processor and of memory containers get, and how they take
// a change of it.
#include <algorithm>
#include <map>
#include <string>

#include "base/text.h"
#include "registry/object_meta.h"
#include "registry/semantic_equality.h"
#include "resources/core/pod/pod_annotations.h"
#include "resources/core/pod/pod_creation.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/pod/pod_update.h"
#include "resources/go/difference.h"

namespace resources::core {
namespace {

using value::Arena;

constexpr std::string_view kMayChange[] = {"cpu", "memory"};

// Makes `field` of `object` what it is in `from`.
void Take(Arena& arena, const Value& object, const Value& from, std::string_view field) {
  if (const Value* found = from.Find(field)) {
    object.Set(arena, field, *found);
  } else {
    object.Remove(field);
  }
}

bool HasPodResources(const Value& pod) {
  const Value resources = pod.Get({"spec", "resources"});
  return !resources.Get("requests").empty() || !resources.Get("limits").empty();
}

// Why pods of its kind are never resized; "" where they may be.
std::string_view WhyNever(const Scope& pod) {
  if (HasPodResources(*pod.old) || HasPodResources(pod.object))
    return "pods with pod-level resources cannot be resized";
  if (pod.old->Get({"metadata", "annotations"}).Find(kMirrorPod) != nullptr) return "static pods cannot be resized";
  if (pod.old->Get({"spec", "os"}).GetString("name") == "windows") return "windows pods cannot be resized";
  return "";
}

// A node that resizes says what its running containers have. Where none runs it is taken to be able to.
bool NodeResizes(const Value& pod) {
  for (const Value& container : pod.Get({"status", "containerStatuses"}).items()) {
    if (container.Get({"state", "running"}).is_null()) continue;
    return !container.Get("resources").is_null();
  }
  return true;
}

bool RemovesAny(const Value& amounts, const Value& old) {
  if (old.size() > amounts.size()) return true;
  return std::ranges::any_of(old.members(),
                             [&](const value::Member& amount) { return amounts.Find(amount.key) == nullptr; });
}

void CheckNothingRemoved(const Scope& pod, const FieldPath& path, const Value& now, const Value& old) {
  const FieldPath resources = path.Child("resources");
  for (std::string_view kind : {"requests", "limits"}) {
    if (!RemovesAny(now.Get({"resources", kind}), old.Get({"resources", kind}))) continue;
    pod.errors.Forbidden(resources.Child(kind), base::Cat("resource ", kind, " cannot be removed"));
  }
}

// `amounts` with the old ones of what may change; nothing where there was nothing.
Value WithoutChanges(Arena& arena, const Value& amounts, const Value& old) {
  if (!old.is_object()) return {};
  const Value result =
      amounts.is_object() ? Value::ObjectOf(arena, amounts.members(), amounts.source()) : Value::Object(arena);
  for (std::string_view resource : kMayChange) Take(arena, result, old, resource);
  return result;
}

// The new spec with everything taken back that may change.
Value WithoutAllowedChanges(const Scope& pod, const Value& old) {
  Arena& arena = pod.context.arena;
  const Value spec = CopyOfSpec(arena, pod.Get("spec"));
  const Value containers = spec.Get("containers"), before = old.Get("containers");
  for (uint32_t i = 0; i < containers.size(); ++i) {
    const Value resources = Value::Object(arena, 2);
    for (std::string_view kind : {"limits", "requests"}) {
      const Value amounts =
          WithoutChanges(arena, containers[i].Get({"resources", kind}), before[i].Get({"resources", kind}));
      if (!amounts.is_null()) resources.Add(arena, kind, amounts);
    }
    containers[i].Set(arena, "resources", resources);
    Take(arena, containers[i], before[i], "resizePolicy");
  }
  return spec;
}

void CheckOnlyAmountsChange(const Scope& pod) {
  const schema::Type& type = *pod.context.resource.type->Member("spec")->ref;
  const Value old = pod.old->Get("spec"), spec = WithoutAllowedChanges(pod, old);
  if (registry::Same(type, spec, old)) return;
  pod.errors.Forbidden(pod.At("spec"), base::Cat("only cpu and memory resources are mutable\n",
                                                 Difference("core.PodSpec", old, spec, pod.context.arena)));
}

// Whether some container asks for other amounts than it did.
bool AsksForOthers(const registry::WriteContext& context, const Value& now, const Value& old) {
  const schema::Type& type = *context.resource.type->Member("spec")->ref->Member("containers")->ref;
  const Value containers = now.Get({"spec", "containers"}), before = old.Get({"spec", "containers"});
  for (uint32_t i = 0; i < containers.size(); ++i) {
    if (containers[i].Get({"resources", "requests"}).is_null()) continue;
    if (!registry::SameAt(type, "resources", containers[i], before[i])) return true;
  }
  return false;
}

}  // namespace

void CheckPodResize(Scope& pod) {
  CheckPod(pod);
  if (const std::string_view why = WhyNever(pod); !why.empty()) {
    pod.errors.Truncate(0);
    return pod.errors.Forbidden(pod.path.Key(""), why);  // the real server's path has one nameless step
  }
  const FieldPath path = pod.At("spec"), list = path.Child("containers");
  const api::Features& features = pod.context.resource.features;
  if (QosClass(*pod.old, features) != ComputeQosClass(pod.object, features)) {
    pod.errors.Invalid(path, pod.Get("status").GetString("qosClass"),
                       "Pod QOS Class may not change as a result of resizing");
  }
  if (!NodeResizes(*pod.old)) pod.errors.Forbidden(path, "Pod running on node without support for resize");
  const Value containers = pod.Get({"spec", "containers"}), before = pod.old->Get({"spec", "containers"});
  for (uint32_t i = 0; i < before.size(); ++i) CheckNothingRemoved(pod, list.Index(i), containers[i], before[i]);
  CheckOnlyAmountsChange(pod);
}

void TakeResources(registry::WriteContext& context, const Value& pod, const Value& old, const Value& sent) {
  Arena& arena = context.arena;
  std::map<std::string_view, Value> known;
  for (const Value& container : pod.Get({"spec", "containers"}).items()) known[container.GetString("name")] = container;
  for (const Value& container : sent.items()) {
    const auto found = known.find(container.GetString("name"));
    if (found == known.end()) continue;
    Take(arena, found->second, container, "resources");
    Take(arena, found->second, container, "resizePolicy");
  }
  if (!AsksForOthers(context, pod, old)) return;
  if (!pod.Get("status").is_object()) pod.Set(arena, "status", Value::Object(arena, 1));
  pod.Get("status").Set(arena, "resize", Value::String("Proposed"));
}

}  // namespace resources::core
