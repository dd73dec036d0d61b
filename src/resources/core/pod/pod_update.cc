#include "resources/core/pod/pod_update.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "api/names.h"
#include "api/quote.h"
#include "base/text.h"
#include "registry/object_meta.h"
#include "registry/semantic_equality.h"
#include "resources/core/pod/pod_annotations.h"
#include "resources/core/pod/pod_disabled_fields.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/pod/tolerations.h"
#include "resources/go/difference.h"
#include "value/json_writer.h"
#include "value/member_index.h"

namespace resources::core {
namespace {

using registry::ObjectMeta;
using value::Arena;

constexpr int64_t kMaxSeconds = std::numeric_limits<int32_t>::max();
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kMayChange =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";

// Annotations.

bool IsFixed(std::string_view key) { return key == kMirrorPod || key.starts_with(kAppArmorPrefix); }

std::string_view SubjectOf(std::string_view key) {
  return key == kMirrorPod ? "mirror pod annotation" : "AppArmor annotations";
}

// Fields that have a rule of their own. False where the rest is not looked at.

bool CheckImages(const Scope& pod, const FieldPath& list, std::string_view field) {
  const Value containers = pod.Get({"spec", field});
  if (containers.size() != pod.old->Get({"spec", field}).size()) {
    pod.errors.Forbidden(list, "pod updates may not add or remove containers");
    return false;
  }
  int64_t index = 0;
  for (const Value& container : containers.items()) {
    const FieldPath item = list.Index(index++);
    const std::string_view image = container.GetString("image");
    if (image.empty()) pod.errors.Required(item.Child("image"));
    if (base::TrimSpace(image).size() == image.size()) continue;
    pod.errors.Invalid(item.Child("image"), image, "must not have leading or trailing whitespace");
  }
  return true;
}

// A deadline may be set, and be lowered.
bool CheckDeadline(const Scope& pod, const FieldPath& path) {
  const Value now = pod.Get({"spec", "activeDeadlineSeconds"}),
              before = pod.old->Get({"spec", "activeDeadlineSeconds"});
  if (!now.is_int()) {
    if (before.is_int()) pod.errors.InvalidAs(path, "\"null\"", "must not update from a positive integer to nil value");
    return true;
  }
  if (now.AsInt() < 0 || now.AsInt() > kMaxSeconds) {
    pod.errors.Invalid(path, now.AsInt(), api::InclusiveRangeText(0, kMaxSeconds));
    return false;
  }
  if (!before.is_int() || before.AsInt() >= now.AsInt()) return true;
  pod.errors.Invalid(path, now.AsInt(), "must be less than or equal to previous value");
  return false;
}

void CheckAddedTolerations(const Scope& pod, const FieldPath& path) {
  const Value now = pod.Get({"spec", "tolerations"});
  std::set<TolerationKey> kept;
  for (const Value& toleration : now.items()) kept.insert(KeyOf(toleration));
  for (const Value& before : pod.old->Get({"spec", "tolerations"}).items()) {
    if (kept.contains(KeyOf(before))) continue;
    return pod.errors.Forbidden(path, "existing toleration can not be modified except its tolerationSeconds");
  }
  CheckTolerations(pod.errors, path, now);
}

void CheckRemovedGates(const Scope& pod, const FieldPath& path) {
  const Value before = pod.old->Get({"spec", "schedulingGates"});
  std::map<std::string_view, int64_t> added;  // to the last place
  int64_t index = 0;
  for (const Value& gate : pod.Get({"spec", "schedulingGates"}).items()) added[gate.GetString("name")] = index++;
  for (const Value& gate : before.items()) added.erase(gate.GetString("name"));
  for (const auto& [name, place] : added) {
    const FieldPath item = path.Index(place);
    pod.errors.Forbidden(item.Child("name"),
                         base::Cat("only deletion is allowed, but found new scheduling gate '", name, "'"));
  }
}

// What may change while gates hold the pod back: nodes may be ruled out.

const schema::Type* TypeAt(const schema::Type& type, std::initializer_list<std::string_view> path) {
  const schema::Type* at = &type;
  for (std::string_view step : path) at = at->Member(step)->ref;
  return at;
}

// Makes `field` of `spec` what it is in `old`.
void Restore(Arena& arena, const Value& spec, const Value& old, std::string_view field) {
  const Value* before = old.Find(field);
  if (before == nullptr) {
    spec.Remove(field);
  } else {
    spec.Set(arena, field, *before);
  }
}

void CheckAddedNodeLabels(const Scope& pod, const FieldPath& path, const Value& spec, const Value& old) {
  const Value now = spec.Get("nodeSelector");
  const value::MemberIndex labels(now);
  for (const value::Member& label : old.Get("nodeSelector").members()) {
    const Value* kept = labels.Find(label.key);
    if (kept != nullptr && value::Equal(*kept, label.value)) continue;
    return pod.errors.InvalidAs(path, now.empty() ? "map[string]string(nil)" : PrintBadValue(now),
                                "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
  }
}

// A term's requirements stay at the beginning of its lists.
bool OnlyAdds(const Value& now, const Value& before) {
  constexpr std::string_view kLists[] = {"matchExpressions", "matchFields"};
  const auto starts_with = [&](std::string_view list) {
    const Value all = now.Get(list), kept = before.Get(list);
    return all.size() >= kept.size() && std::ranges::equal(all.items().first(kept.size()), kept.items(), value::Equal);
  };
  const auto is_empty = [](const Value& term) {
    return term.Get("matchExpressions").empty() && term.Get("matchFields").empty();
  };
  // One that takes no node must not come to take some.
  if (is_empty(before) && !is_empty(now)) return false;
  return std::ranges::all_of(kLists, starts_with);
}

void CheckAddedRequirements(const Scope& pod, const FieldPath& path, const Value& now, const Value& before) {
  const Value old_terms = before.Get({kRequired, "nodeSelectorTerms"}),
              terms = now.Get({kRequired, "nodeSelectorTerms"});
  const FieldPath required = path.Child(kRequired), list = required.Child("nodeSelectorTerms");
  if (old_terms.empty()) return;
  if (old_terms.size() != terms.size()) {
    return pod.errors.InvalidAs(list, terms.empty() ? "[]core.NodeSelectorTerm(nil)" : value::ToJson(terms),
                                "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  }
  for (uint32_t i = 0; i < terms.size(); ++i) {
    if (OnlyAdds(terms[i], old_terms[i])) continue;
    pod.errors.InvalidAs(list.Index(i), base::Cat("core.NodeSelectorTerm", value::ToJson(terms[i])),
                         "only additions are allowed (no mutations or deletions)");
  }
}

// Checks what a gated pod may change, and takes it back in `spec`, a copy.
void CheckGated(const Scope& pod, const Value& spec, const Value& old) {
  Arena& arena = pod.context.arena;
  const schema::Type& type = *TypeAt(*pod.context.resource.type, {"spec"});
  const FieldPath path = pod.At("spec"), affinity_path = path.Child("affinity");
  if (!registry::SameAt(type, "nodeSelector", spec, old)) {
    CheckAddedNodeLabels(pod, path.Child("nodeSelector"), spec, old);
    Restore(arena, spec, old, "nodeSelector");
  }
  const Value affinity = spec.Get("affinity"), old_affinity = old.Get("affinity");
  const Value now = affinity.Get("nodeAffinity"), before = old_affinity.Get("nodeAffinity");
  const schema::Type& node_type = *TypeAt(type, {"affinity", "nodeAffinity"});
  if (now.is_null() == before.is_null() && registry::Same(node_type, now, before)) return;
  CheckAddedRequirements(pod, affinity_path.Child("nodeAffinity"), now, before);
  if (affinity.is_null()) {
    const value::Member member{"nodeAffinity", before};
    return spec.Set(arena, "affinity", Value::ObjectOf(arena, std::span(&member, 1)));
  }
  Restore(arena, affinity, old_affinity, "nodeAffinity");
  if (old_affinity.is_null() && affinity.empty()) spec.Remove("affinity");
}

// The real server makes these lists anew, and one that has nothing is none then.
void DropEmptyLists(const Value& spec) {
  const auto drop = [](const Value& object, std::string_view list) {
    const Value* found = object.Find(list);
    if (found != nullptr && found->empty()) object.Remove(list);
  };
  for (std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    for (const Value& container : spec.Get(list).items()) drop(container, "volumeMounts");
  }
  for (std::string_view list : {"volumes", "containers", "initContainers"}) drop(spec, list);
}

// The new spec with everything taken back that may change; what differs then may not.
Value WithoutAllowedChanges(const Scope& pod, const Value& old) {
  Arena& arena = pod.context.arena;
  const Value spec = CopyOfSpec(arena, pod.Get("spec"));
  for (std::string_view list : {"containers", "initContainers"}) {
    const Value containers = spec.Get(list), before = old.Get(list);
    for (uint32_t i = 0; i < containers.size(); ++i) Restore(arena, containers[i], before[i], "image");
  }
  for (std::string_view field : {"activeDeadlineSeconds", "schedulingGates", "tolerations"}) {
    Restore(arena, spec, old, field);
  }
  const Value grace = old.Get("terminationGracePeriodSeconds"), now = spec.Get("terminationGracePeriodSeconds");
  if (grace.is_int() && grace.AsInt() < 0 && now.is_int() && now.AsInt() == 1) {
    Restore(arena, spec, old, "terminationGracePeriodSeconds");
  }
  DropEmptyLists(spec);
  return spec;
}

// Makes `pod` what it was, but for the metadata that says which one is meant.
void KeepAll(Arena& arena, const Value& pod, const Value& old) {
  const ObjectMeta sent(value::DeepCopy(arena, pod));
  const Value kept = value::DeepCopy(arena, old), metadata = pod.Get("metadata");
  // Whoever called holds this very object.
  metadata.Truncate(0);
  for (const value::Member& member : kept.Get("metadata").members()) metadata.Add(arena, member.key, member.value);
  kept.Set(arena, "metadata", metadata);
  pod.Truncate(0);
  for (const value::Member& member : kept.members()) pod.Add(arena, member.key, member.value);
  ObjectMeta meta(pod, arena);
  for (std::string_view key : {"name", "namespace", "resourceVersion", "uid"}) meta.Take(key, sent);
}

void KeepAllButEphemeralContainers(Arena& arena, const Value& pod, const Value& old) {
  const Value containers = pod.Get({"spec", "ephemeralContainers"});
  KeepAll(arena, pod, old);
  const Value spec = pod.Get("spec");
  if (containers.is_null()) {
    spec.Remove("ephemeralContainers");
  } else {
    spec.Set(arena, "ephemeralContainers", containers);
  }
}

}  // namespace

Value CopyOfSpec(Arena& arena, const Value& spec) {
  const Value copy = Value::ObjectOf(arena, spec.members(), spec.source());
  for (std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    Value* containers = copy.Find(list);
    if (containers == nullptr) continue;
    *containers = Value::ArrayOf(arena, containers->items());
    for (Value& item : containers->items()) item = Value::ObjectOf(arena, item.members(), item.source());
  }
  if (Value* affinity = copy.Find("affinity")) *affinity = Value::ObjectOf(arena, affinity->members());
  return copy;
}

void CheckAnnotationsUpdate(Scope& pod, const FieldPath& path) {
  const Value now = pod.Get({"metadata", "annotations"}), before = pod.old->Get({"metadata", "annotations"});
  for (const value::Member& annotation : before.members()) {
    if (!IsFixed(annotation.key)) continue;
    const Value* kept = now.Find(annotation.key);
    if (kept != nullptr && value::Equal(*kept, annotation.value)) continue;
    pod.errors.Forbidden(path.Key(annotation.key), base::Cat("may not remove or update ", SubjectOf(annotation.key)));
  }
  for (const value::Member& annotation : now.members()) {
    if (!IsFixed(annotation.key) || before.Find(annotation.key) != nullptr) continue;
    pod.errors.Forbidden(path.Key(annotation.key), base::Cat("may not add ", SubjectOf(annotation.key)));
  }
  CheckPodAnnotations(pod, path);
}

void CheckPodUpdate(Scope& pod) {
  CheckPod(pod);
  const FieldPath metadata = pod.At("metadata"), path = pod.At("spec");
  CheckAnnotationsUpdate(pod, metadata.Child("annotations"));
  if (!CheckImages(pod, path.Child("containers"), "containers")) return;
  if (!CheckImages(pod, path.Child("initContainers"), "initContainers")) return;
  if (!CheckDeadline(pod, path.Child("activeDeadlineSeconds"))) return;
  CheckAddedTolerations(pod, path.Child("tolerations"));
  CheckRemovedGates(pod, path.Child("schedulingGates"));

  const schema::Type& type = *TypeAt(*pod.context.resource.type, {"spec"});
  const Value old = pod.old->Get("spec");
  if (registry::Same(type, pod.Get("spec"), old)) return;
  const Value spec = WithoutAllowedChanges(pod, old);
  if (!old.Get("schedulingGates").empty()) CheckGated(pod, spec, old);
  if (registry::Same(type, spec, old)) return;
  pod.errors.Forbidden(path, base::Cat(kMayChange, Difference("core.PodSpec", old, spec, pod.context.arena)));
}

void CheckEphemeralContainersUpdate(Scope& pod) {
  CheckPod(pod);
  const FieldPath metadata = pod.At("metadata"), spec = pod.At("spec"), path = spec.Child("ephemeralContainers");
  CheckAnnotationsUpdate(pod, metadata.Child("annotations"));
  if (pod.old->Get({"metadata", "annotations"}).Find(kMirrorPod) != nullptr) {
    pod.errors.Truncate(0);
    // The real server's path has one nameless step.
    return pod.errors.Forbidden(pod.path.Key(""), "static pods do not support ephemeral containers");
  }
  const schema::Type& type = *TypeAt(*pod.context.resource.type, {"spec", "ephemeralContainers"});
  const Value containers = pod.Get({"spec", "ephemeralContainers"});
  for (const Value& old : pod.old->Get({"spec", "ephemeralContainers"}).items()) {
    const std::string_view name = old.GetString("name");
    // Of several that have the name, the last counts.
    const Value* now = nullptr;
    for (const Value& container : containers.items()) now = container.GetString("name") == name ? &container : now;
    const std::string existing = base::Cat("existing ephemeral containers ", api::Quote(name));
    if (now == nullptr) {
      pod.errors.Forbidden(path, base::Cat(existing, " may not be removed\n"));
    } else if (!registry::Same(type, old, *now)) {
      pod.errors.Forbidden(path, base::Cat(existing, " may not be changed\n",
                                           Difference("core.EphemeralContainer", old, *now, pod.context.arena)));
    }
  }
}

void PreparePodUpdate(registry::WriteContext& context, Value pod, const Value& old) {
  if (context.subresource == "status") {
    ObjectMeta(pod, context.arena).Take("deletionTimestamp", ObjectMeta(old));
    const Value status = pod.Get("status");
    const Value of_old = old.Get({"status", "qosClass"});
    if (!status.GetString("qosClass").empty() || !of_old.is_string()) return;
    // Old nodes do not know the field.
    if (!status.is_object()) pod.Set(context.arena, "status", Value::Object(context.arena, 1));
    return pod.Get("status").Set(context.arena, "qosClass", of_old);
  }
  if (context.subresource == "ephemeralcontainers") KeepAllButEphemeralContainers(context.arena, pod, old);
  if (context.subresource == "resize") {
    const Value containers = pod.Get({"spec", "containers"});
    KeepAll(context.arena, pod, old);
    TakeResources(context, pod, old, containers);
  }
  DropDisabledFields(context, pod.Get("spec"), old.Get("spec"));
  DropDisabledStatusFields(context, pod.Get("status"), old.Get("spec"));
}

}  // namespace resources::core
