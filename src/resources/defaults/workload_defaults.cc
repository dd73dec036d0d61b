// Defaults of the groups apps, batch and autoscaling.
#include <cstdint>
#include <limits>
#include <string_view>

#include "registry/object_meta.h"
#include "resources/apps/deprecated_annotations.h"
#include "resources/conversions.h"
#include "resources/defaults/defaults.h"

namespace resources {
namespace {

// The object in `field`, made where it is absent.
Value Into(const Value& object, std::string_view field, Arena& arena) {
  if (Value* found = object.Find(field)) return *found;
  Value made = Value::Object(arena);
  object.Add(arena, field, made);
  return made;
}

void Fill(const Value& object, std::string_view field, const Value& v, Arena& arena) {
  if (!object.Find(field)) object.Add(arena, field, v);
}

void DefaultDeployment(const Value& deployment, Arena& arena) {
  apps::NormaliseRollback(deployment, arena);
  Value strategy = Into(Into(deployment, "spec", arena), "strategy", arena);
  Fill(strategy, "type", Value::String("RollingUpdate"), arena);
  if (strategy.GetString("type") != "RollingUpdate") return;
  Value rolling = Into(strategy, "rollingUpdate", arena);
  Fill(rolling, "maxUnavailable", Value::String("25%"), arena);
  Fill(rolling, "maxSurge", Value::String("25%"), arena);
}

// A daemon set says in an annotation how often its template was changed.
void DefaultDaemonSet(const Value& daemon_set, Arena& arena) {
  apps::SetTemplateGeneration(daemon_set, apps::TemplateGeneration(daemon_set), arena);
  Value strategy = Into(Into(daemon_set, "spec", arena), "updateStrategy", arena);
  Fill(strategy, "type", Value::String("RollingUpdate"), arena);
  const bool rolls = strategy.GetString("type") == "RollingUpdate";
  if (!rolls && !strategy.Find("rollingUpdate")) return;
  Value rolling = Into(strategy, "rollingUpdate", arena);
  Fill(rolling, "maxUnavailable", Value::Int(rolls ? 1 : 0), arena);
  Fill(rolling, "maxSurge", Value::Int(0), arena);
}

void DefaultStatefulSet(const Value& set, Arena& arena) {
  Value spec = Into(set, "spec", arena);
  Value strategy = Into(spec, "updateStrategy", arena);
  if (!strategy.Find("type")) {
    strategy.Add(arena, "type", Value::String("RollingUpdate"));
    Into(strategy, "rollingUpdate", arena);
  }
  if (strategy.GetString("type") == "RollingUpdate" && strategy.Find("rollingUpdate")) {
    Fill(strategy.Get("rollingUpdate"), "partition", Value::Int(0), arena);
  }
  // Claims in a list of templates always say what they are.
  for (const Value& claim : spec.Get("volumeClaimTemplates").items()) {
    constexpr std::string_view kOrder[] = {"kind", "apiVersion", "metadata"};
    registry::SetInOrder(claim, arena, kOrder, "kind", Value::String("PersistentVolumeClaim"));
    registry::SetInOrder(claim, arena, kOrder, "apiVersion", Value::String("v1"));
  }
  Value retention = Into(spec, "persistentVolumeClaimRetentionPolicy", arena);
  Fill(retention, "whenDeleted", Value::String("Retain"), arena);
  Fill(retention, "whenScaled", Value::String("Retain"), arena);
}

void DefaultUnavailable(const Value& set, Arena& arena, const api::Features& features) {
  const Value strategy = set.Get({"spec", "updateStrategy"}), rolling = strategy.Get("rollingUpdate");
  const bool rolls = strategy.GetString("type") == "RollingUpdate" && rolling.is_object();
  if (rolls && features.Has(api::Feature::kMaxUnavailableStatefulSet)) {
    Fill(rolling, "maxUnavailable", Value::Int(1), arena);
  }
}

void DefaultJob(const Value& job, Arena& arena) {
  Value spec = Into(job, "spec", arena);
  if (!spec.Find("completions") && !spec.Find("parallelism")) spec.Add(arena, "completions", Value::Int(1));
  Fill(spec, "parallelism", Value::Int(1), arena);
  Fill(spec, "backoffLimit", Value::Int(spec.Find("backoffLimitPerIndex") ? std::numeric_limits<int32_t>::max() : 6), arena);
  Value labels = spec.Get({"template", "metadata", "labels"});
  Value metadata = job.Get("metadata");
  if (labels.is_object() && metadata.is_object() && metadata.Get("labels").empty()) {
    metadata.Set(arena, "labels", labels);  // the same ones: what the template's get later, these get as well
  }
  Fill(spec, "completionMode", Value::String("NonIndexed"), arena);
  Fill(spec, "suspend", Value::Bool(false), arena);
  for (const Value& rule : spec.Get({"podFailurePolicy", "rules"}).items()) {
    for (const Value& pattern : rule.Get("onPodConditions").items()) Fill(pattern, "status", Value::String("True"), arena);
  }
  Fill(spec, "manualSelector", Value::Bool(false), arena);
}

void DefaultReplacementPolicy(const Value& job, Arena& arena, const api::Features& features) {
  if (!features.Has(api::Feature::kJobPodReplacementPolicy)) return;
  const Value spec = job.Get("spec");
  Fill(spec, "podReplacementPolicy", Value::String(spec.Find("podFailurePolicy") ? "Failed" : "TerminatingOrFailed"), arena);
}

Value ScalingPolicy(Arena& arena, std::string_view type, int64_t amount) {
  Value policy = Value::Object(arena, 3);
  policy.Add(arena, "type", Value::String(type));
  policy.Add(arena, "value", Value::Int(amount));
  policy.Add(arena, "periodSeconds", Value::Int(15));
  return policy;
}

void DefaultScalingRules(const Value& behavior, std::string_view direction, Arena& arena) {
  Value rules = Into(behavior, direction, arena);
  bool up = direction == "scaleUp";
  if (up) Fill(rules, "stabilizationWindowSeconds", Value::Int(0), arena);
  Fill(rules, "selectPolicy", Value::String("Max"), arena);
  if (rules.Find("policies")) return;
  Value policies = Value::Array(arena, 2);
  if (up) policies.Append(arena, ScalingPolicy(arena, "Pods", 4));
  policies.Append(arena, ScalingPolicy(arena, "Percent", 100));
  rules.Add(arena, "policies", policies);
}

void DefaultAutoscaler(const Value& autoscaler, Arena& arena) {
  autoscaling::DropAnnotationsOfV1(autoscaler);
  Value spec = Into(autoscaler, "spec", arena);
  if (spec.Get("metrics").empty()) {
    Value target = Value::Object(arena, 2), resource = Value::Object(arena, 2), metric = Value::Object(arena, 2);
    target.Add(arena, "type", Value::String("Utilization"));
    target.Add(arena, "averageUtilization", Value::Int(80));
    resource.Add(arena, "name", Value::String("cpu"));
    resource.Add(arena, "target", target);
    metric.Add(arena, "type", Value::String("Resource"));
    metric.Add(arena, "resource", resource);
    Value metrics = Value::Array(arena, 1);
    metrics.Append(arena, metric);
    spec.Set(arena, "metrics", metrics);
  }
  if (const Value* behavior = spec.Find("behavior")) {
    DefaultScalingRules(*behavior, "scaleUp", arena);
    DefaultScalingRules(*behavior, "scaleDown", arena);
  }
}

// autoscaling/v1 says of an autoscaler what its stored form says, in its own words: metrics that it has no field for
// stand in annotations, of which others are dropped.
void DefaultAutoscalerV1(const Value& autoscaler, Arena& arena) {
  Fill(Into(autoscaler, "spec", arena), "minReplicas", Value::Int(1), arena);
  const Value same = autoscaling::HorizontalPodAutoscalerToV1(arena, autoscaling::HorizontalPodAutoscalerToV2(arena, autoscaler));
  for (std::string_view part : {"spec", "status"}) {
    if (const Value* converted = same.Find(part)) autoscaler.Set(arena, part, *converted);
  }
  const Value annotations = same.Get({"metadata", "annotations"});
  if (annotations.is_object()) {
    Into(autoscaler, "metadata", arena).Set(arena, "annotations", annotations);
  } else if (const Value* metadata = autoscaler.Find("metadata")) {
    metadata->Remove("annotations");
  }
}

constexpr FieldDefault kDeploymentSpec[] = {{"replicas", "1"}, {"revisionHistoryLimit", "10"}, {"progressDeadlineSeconds", "600"}};
constexpr FieldDefault kDaemonSetSpec[] = {{"revisionHistoryLimit", "10"}};
constexpr FieldDefault kStatefulSetSpec[] = {{"podManagementPolicy", "\"OrderedReady\""}, {"replicas", "1"}, {"revisionHistoryLimit", "10"}};
constexpr FieldDefault kReplicaSetSpec[] = {{"replicas", "1"}};
constexpr FieldDefault kCronJobSpec[] = {{"concurrencyPolicy", "\"Allow\""}, {"suspend", "false"}, {"successfulJobsHistoryLimit", "3"}, {"failedJobsHistoryLimit", "1"}};
constexpr FieldDefault kAutoscalerSpec[] = {{"minReplicas", "1"}};

constexpr TypeDefaults kTypes[] = {
    {"io.k8s.api.apps.v1.Deployment", {}, DefaultDeployment},
    {"io.k8s.api.apps.v1.DeploymentSpec", kDeploymentSpec},
    {"io.k8s.api.apps.v1.DaemonSet", {}, DefaultDaemonSet},
    {"io.k8s.api.apps.v1.DaemonSetSpec", kDaemonSetSpec},
    {"io.k8s.api.apps.v1.StatefulSet", {}, DefaultStatefulSet, DefaultUnavailable},
    {"io.k8s.api.apps.v1.StatefulSetSpec", kStatefulSetSpec},
    {"io.k8s.api.apps.v1.ReplicaSetSpec", kReplicaSetSpec},
    {"io.k8s.api.batch.v1.Job", {}, DefaultJob, DefaultReplacementPolicy},
    {"io.k8s.api.batch.v1.CronJobSpec", kCronJobSpec},
    {"io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec", kAutoscalerSpec},
    {"io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler", {}, DefaultAutoscalerV1},
    {"io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler", {}, DefaultAutoscaler},
    {"io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec", kAutoscalerSpec},
};

}  // namespace

std::span<const TypeDefaults> WorkloadDefaults() { return kTypes; }

}  // namespace resources
