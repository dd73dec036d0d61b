// Autoscalers of both versions: all is said of the stored one, autoscaling/v2.
#include "api/names.h"
#include "resources/autoscaling/metric_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::autoscaling {
namespace {

constexpr int64_t kMostPeriodSeconds = 1800;
constexpr int64_t kMostWindowSeconds = 3600;

constexpr std::string_view kSelectPolicies[] = {"Disabled", "Max", "Min"};
constexpr std::string_view kPolicyTypes[] = {"Percent", "Pods"};

// None at all is for metrics that there are without pods, behind a gate; who has it keeps it.
void CheckReplicas(Scope& spec) {
  const Value* least = spec.object.Find("minReplicas");
  const Value was = spec.old != nullptr ? spec.old->Get("minReplicas") : Value();
  const bool none = spec.context.Has(Feature::kHpaScaleToZero) || (was.is_int() && was.AsInt() == 0);
  if (least != nullptr && least->AsInt() < (none ? 0 : 1)) {
    spec.errors.Invalid(spec.At("minReplicas"), least->AsInt(),
                        none ? "must be greater than or equal to 0" : "must be greater than or equal to 1");
  }
  const int64_t most = spec.Int("maxReplicas");
  if (most < 1) spec.errors.Invalid(spec.At("maxReplicas"), most, "must be greater than 0");
  if (least != nullptr && most < least->AsInt()) {
    spec.errors.Invalid(spec.At("maxReplicas"), most, "must be greater than or equal to `minReplicas`");
  }
}

// An autoscaler without pods at times can only look at what is outside them.
void CheckMetricsWithoutPods(Scope& spec) {
  const Value least = spec.Get("minReplicas");
  if (!least.is_int() || least.AsInt() != 0) return;
  for (const Value& metric : spec.Get("metrics").items()) {
    const std::string_view type = metric.GetString("type");
    if (type == "Object" || type == "External") return;
  }
  spec.errors.Forbidden(spec.At("metrics"),
                        "must specify at least one Object or External metric to support scaling to zero replicas");
}

void CheckWindow(Scope& rules) {
  const Value* seconds = rules.object.Find("stabilizationWindowSeconds");
  if (seconds == nullptr) return;
  const FieldPath path = rules.At("stabilizationWindowSeconds");
  if (seconds->AsInt() < 0) rules.errors.Invalid(path, seconds->AsInt(), "must be greater than or equal to zero");
  if (seconds->AsInt() > kMostWindowSeconds) {
    rules.errors.Invalid(path, seconds->AsInt(), "must be less than or equal to 3600");
  }
}

// A pointer: what is there is one of the words, even if it is empty.
void CheckSelectPolicy(Scope& rules) {
  const Value* policy = rules.object.Find("selectPolicy");
  if (policy == nullptr) return;
  for (std::string_view word : kSelectPolicies) {
    if (policy->AsString() == word) return;
  }
  rules.errors.NotSupported(rules.At("selectPolicy"), policy->AsString(), kSelectPolicies);
}

void CheckScalingPolicy(Scope& policy) {
  if (const std::string_view type = policy.String("type"); type != "Pods" && type != "Percent") {
    policy.errors.NotSupported(policy.At("type"), type, kPolicyTypes);
  }
  for (std::string_view field : {"value", "periodSeconds"}) {
    const int64_t number = policy.Int(field);
    if (number <= 0) policy.errors.Invalid(policy.At(field), number, "must be greater than zero");
  }
  if (policy.Int("periodSeconds") > kMostPeriodSeconds) {
    policy.errors.Invalid(policy.At("periodSeconds"), policy.Int("periodSeconds"),
                          "must be less than or equal to 1800");
  }
}

constexpr Rule kScalingPolicy[] = {Call(CheckScalingPolicy)};
constexpr Rule kScalingRules[] = {
    Call(CheckWindow),
    Call(CheckSelectPolicy),
    Required("policies", "must specify at least one Policy"),
    Each("policies", kScalingPolicy),
};
constexpr Rule kBehaviorRules[] = {
    Into("scaleUp", kScalingRules),
    Into("scaleDown", kScalingRules),
};
constexpr Rule kMetricRules[] = {Call(CheckMetric)};
constexpr Rule kSpecRules[] = {
    Call(CheckReplicas),
    IntoStruct("scaleTargetRef", kObjectReferenceRules),
    Each("metrics", kMetricRules),
    Call(CheckMetricsWithoutPods),
    Into("behavior", kBehaviorRules),
};
constexpr Rule kRules[] = {
    IntoStruct("spec", kSpecRules),
};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMetaUpdate),
    IntoStruct("spec", kSpecRules),
};

constexpr Rule kStatusFields[] = {
    NonNegative("currentReplicas"),
    NonNegative("desiredReplicas"),
};
constexpr Rule kStatusRules[] = {
    Call(CheckObjectMetaUpdate),
    IntoStruct("status", kStatusFields),
};

}  // namespace

constinit const registry::StrategyTable kHorizontalPodAutoscalers = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
        },
};

}  // namespace resources::autoscaling
