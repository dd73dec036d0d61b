#include "resources/core/pod/pod_creation.h"

#include <map>
#include <string>
#include <string_view>

#include "api/quantity.h"
#include "base/text.h"
#include "registry/object_meta.h"
#include "resources/core/pod/pod_annotations.h"
#include "resources/core/pod/pod_disabled_fields.h"

namespace resources::core {
namespace {

using registry::WriteContext;
using value::Arena;
using value::Value;

constexpr size_t kMaxProfilePath = 4095;

// Sums by resource of what is more than nothing.
using Amounts = std::map<std::string_view, api::Quantity>;

// Adds the processor and memory of requests or limits, a container's or the pod's own; false where either is not there.
bool AddAmounts(Amounts& sums, const Value& asking, std::string_view kind) {
  bool both = true;
  for (std::string_view resource : {"cpu", "memory"}) {
    const Value text = asking.Get({"resources", kind, resource});
    const auto amount =
        text.is_string() ? api::Quantity::Parse(text.AsString()).value_or(api::Quantity()) : api::Quantity();
    both &= amount.Sign() > 0;
    if (amount.Sign() > 0) sums[resource].Add(amount);
  }
  return both;
}

// A pod with gates waits until they are gone.
void AddGatedCondition(WriteContext& context, const Value& pod, const Value& status) {
  if (pod.Get({"spec", "schedulingGates"}).empty()) return;
  Arena& arena = context.arena;
  const Value condition = Value::Object(arena, 6);
  condition.Add(arena, "type", Value::String("PodScheduled"));
  condition.Add(arena, "status", Value::String("False"));
  condition.Add(arena, "lastProbeTime", Value());
  condition.Add(arena, "lastTransitionTime", Value::String(context.now));
  condition.Add(arena, "reason", Value::String("SchedulingGated"));
  condition.Add(arena, "message", Value::String("Scheduling is blocked due to non-empty scheduling gates"));
  status.Add(arena, "conditions", Value::ArrayOf(arena, std::span(&condition, 1)));
}

// Requires of the selected pods the labels that this pod has under `keys`.
void AddRequirements(Arena& arena, const Value& selector, const Value& keys, std::string_view op, const Value& labels) {
  for (const Value& key : keys.items()) {
    const Value* label = labels.Find(key.AsString());
    if (label == nullptr) continue;
    const Value requirement = Value::Object(arena, 3);
    requirement.Add(arena, "key", key);
    requirement.Add(arena, "operator", Value::String(op));
    requirement.Add(arena, "values", Value::ArrayOf(arena, std::span(label, 1)));
    if (selector.Find("matchExpressions") == nullptr) selector.Set(arena, "matchExpressions", Value::Array(arena, 1));
    selector.Get("matchExpressions").Append(arena, requirement);
  }
}

void AddLabelsToTerm(Arena& arena, const Value& term, const Value& labels) {
  const Value selector = term.Get("labelSelector");
  if (!selector.is_object()) return;
  AddRequirements(arena, selector, term.Get("matchLabelKeys"), "In", labels);
  AddRequirements(arena, selector, term.Get("mismatchLabelKeys"), "NotIn", labels);
}

void AddLabelsToAffinity(Arena& arena, const Value& pod) {
  const Value labels = pod.Get({"metadata", "labels"});
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const Value affinity = pod.Get({"spec", "affinity", kind});
    for (const Value& term : affinity.Get("preferredDuringSchedulingIgnoredDuringExecution").items()) {
      AddLabelsToTerm(arena, term.Get("podAffinityTerm"), labels);
    }
    for (const Value& term : affinity.Get("requiredDuringSchedulingIgnoredDuringExecution").items()) {
      AddLabelsToTerm(arena, term, labels);
    }
  }
}

// The annotation that says what a profile says; "" for a profile that is none.
std::string AnnotationOf(const Value& profile) {
  const std::string_view type = profile.GetString("type");
  if (type == "Unconfined") return "unconfined";
  if (type == "RuntimeDefault") return "runtime/default";
  const Value* path = profile.Find("localhostProfile");
  return type == "Localhost" && path != nullptr ? base::Cat(kLocalhost, path->AsString()) : std::string();
}

// The profile that an annotation names, null where it names none that may be.
Value ProfileOf(Arena& arena, std::string_view annotation) {
  const Value profile = Value::Object(arena, 2);
  if (annotation == "unconfined" || annotation == "runtime/default") {
    profile.Add(arena, "type", Value::String(annotation == "unconfined" ? "Unconfined" : "RuntimeDefault"));
    return profile;
  }
  if (!annotation.starts_with(kLocalhost)) return {};
  const std::string_view path = annotation.substr(kLocalhost.size());
  if (path.empty() || path.size() > kMaxProfilePath || base::TrimSpace(path) != path) return {};
  profile.Add(arena, "type", Value::String("Localhost"));
  profile.Add(arena, "localhostProfile", Value::String(path));
  return profile;
}

void SetProfile(Arena& arena, const Value& container, const Value& profile) {
  if (container.Find("securityContext") == nullptr) container.Set(arena, "securityContext", Value::Object(arena, 1));
  container.Get("securityContext").Set(arena, "appArmorProfile", profile);
}

// Older nodes read the annotations, newer ones the fields: each is made of the other.
void SyncAppArmor(WriteContext& context, const Value& pod, const Value& container) {
  Arena& arena = context.arena;
  registry::ObjectMeta meta(pod, arena);
  const Value of_pod = pod.Get({"spec", "securityContext", "appArmorProfile"});
  const Value own = container.Get({"securityContext", "appArmorProfile"});
  const std::string_view key = arena.CopyString(base::Cat(kAppArmorPrefix, container.GetString("name")));
  const Value* annotation = meta.Get("annotations").Find(key);
  if (annotation == nullptr) {
    const std::string said = AnnotationOf(own.is_null() ? of_pod : own);
    if (said.empty()) return;
    if (!meta.Get("annotations").is_object()) {
      const value::Member member{key, Value::Copy(arena, said)};
      return meta.Set("annotations", Value::ObjectOf(arena, std::span(&member, 1)));
    }
    return meta.Get("annotations").Set(arena, key, Value::Copy(arena, said));
  }
  if (!own.is_null()) return;
  const Value profile = ProfileOf(arena, annotation->AsString());
  if (!profile.is_null() && value::Equal(profile, of_pod)) return;
  if (!profile.is_null()) SetProfile(arena, container, profile);
  context.warnings.push_back(
      base::Cat("metadata.annotations[", key, R"(]: deprecated since v1.30; use the "appArmorProfile" field instead)"));
}

}  // namespace

std::string_view ComputeQosClass(const Value& pod, const api::Features& features) {
  Amounts requests, limits;
  bool all_limited = true;
  const auto add = [&](const Value& asking) {
    AddAmounts(requests, asking, "requests");
    all_limited &= AddAmounts(limits, asking, "limits");
  };
  const Value spec = pod.Get("spec");
  if (features.Has(api::Feature::kPodLevelResources) && spec.Get("resources").is_object()) {
    add(spec);
  } else {
    for (std::string_view list : {"containers", "initContainers"}) {
      for (const Value& container : spec.Get(list).items()) add(container);
    }
  }
  if (requests.empty() && limits.empty()) return "BestEffort";
  return all_limited && requests == limits ? "Guaranteed" : "Burstable";
}

std::string_view QosClass(const Value& pod, const api::Features& features) {
  const std::string_view given = pod.Get("status").GetString("qosClass");
  return given.empty() ? ComputeQosClass(pod, features) : given;
}

void PrepareNewPod(WriteContext& context, Value pod) {
  Arena& arena = context.arena;
  const Value status = Value::Object(arena, 3), spec = pod.Get("spec");
  status.Add(arena, "phase", Value::String("Pending"));
  AddGatedCondition(context, pod, status);
  status.Add(arena, "qosClass", Value::String(QosClass(pod, context.resource.features)));
  pod.Set(arena, "status", status);
  DropDisabledFields(context, spec, Value());
  if (context.Has(api::Feature::kMatchLabelKeysInPodAffinity)) AddLabelsToAffinity(arena, pod);
  if (spec.Get("os").GetString("name") == "windows") return;
  VisitContainers(spec, [&](const Value& container) { SyncAppArmor(context, pod, container); });
}

}  // namespace resources::core
