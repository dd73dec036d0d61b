#include <algorithm>

#include "resources/apps/replica_rules.h"
#include "resources/core/pod/pod_warnings.h"
#include "resources/core/pod/selected_template.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/int_or_percent.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::apps {
namespace {

using registry::WriteContext;

void CheckPodManagement(Scope& spec) {
  const std::string_view policy = spec.String("podManagementPolicy");
  const FieldPath path = spec.At("podManagementPolicy");
  if (policy.empty()) {
    spec.errors.Required(path);
  } else if (policy != "OrderedReady" && policy != "Parallel") {
    spec.errors.Invalid(path, policy, "must be 'OrderedReady' or 'Parallel'");
  }
}

void CheckRollingUpdate(Scope& rolling) {
  CheckNonNegative(rolling.errors, rolling.At("partition"), rolling.Int("partition"));
  const Value* unavailable = rolling.object.Find("maxUnavailable");
  if (unavailable == nullptr) return;
  const FieldPath path = rolling.At("maxUnavailable");
  CheckIntOrPercent(rolling.errors, path, *unavailable);
  if (AmountOf(*unavailable) == 0) rolling.errors.InvalidAs(path, PrintIntOrString(*unavailable), "cannot be 0");
  CheckAtMost100Percent(rolling.errors, path, *unavailable);
}

constexpr Rule kRollingUpdateRules[] = {Call(CheckRollingUpdate)};

void CheckStrategy(Scope& spec) {
  const FieldPath path = spec.At("updateStrategy");
  const Value strategy = spec.Get("updateStrategy");
  const std::string_view type = strategy.GetString("type");
  const Value* rolling = strategy.Find("rollingUpdate");
  if (type.empty()) {
    spec.errors.Required(path);
  } else if (type == "OnDelete") {
    if (rolling == nullptr) return;
    spec.errors.InvalidAs(path.Child("rollingUpdate"),
                          core::PrintStruct("apps.RollingUpdateStatefulSetStrategy", *rolling),
                          "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type != "RollingUpdate") {
    spec.errors.InvalidAs(path, core::PrintStruct("apps.StatefulSetUpdateStrategy", strategy),
                          "must be 'RollingUpdate' or 'OnDelete'");
  } else if (rolling != nullptr) {
    Check(spec, kRollingUpdateRules, path.Child("rollingUpdate"), *rolling, nullptr);
  }
}

// The claims stay or go, when the set is deleted and when it shrinks.
void CheckClaimRetention(Scope& spec) {
  const Value* retention = spec.object.Find("persistentVolumeClaimRetentionPolicy");
  if (retention == nullptr) return;
  const FieldPath path = spec.At("persistentVolumeClaimRetentionPolicy");
  for (std::string_view when : {"whenDeleted", "whenScaled"}) {
    const std::string_view what = retention->GetString(when);
    if (what == "Retain" || what == "Delete") continue;
    spec.errors.NotSupported(path.Child(when), what, {"Retain", "Delete"});
  }
}

void CheckFirstOrdinal(Scope& spec) {
  const Value start = spec.object.Get({"ordinals", "start"});
  if (start.is_int()) CheckNonNegative(spec.errors, spec.At("ordinals.start"), start.AsInt());
}

void CheckPods(Scope& spec) {
  core::CheckRequiredSelector(spec, "statefulset");
  const Value selector = spec.Get("selector");
  if (core::IsUsableSelector(selector)) {
    core::CheckTemplateIsSelected(spec);
    core::CheckTemplateMetadata(spec);
  } else {
    spec.errors.InvalidAs(spec.At("selector"), core::PrintSelector(selector), "");
  }
  core::CheckPodsRunForever(spec, "StatefulSet");
}

constexpr Rule kSpecRules[] = {
    Call(CheckPodManagement),       Call(CheckStrategy),     Call(CheckClaimRetention), NonNegative("replicas"),
    NonNegative("minReadySeconds"), Call(CheckFirstOrdinal), Call(CheckPods),
};
constexpr Rule kRules[] = {
    IntoStruct("spec", kSpecRules),
};

void CheckFixedFields(Scope& object) {
  constexpr std::string_view kFixed[] = {"spec.selector", "spec.volumeClaimTemplates", "spec.serviceName",
                                         "spec.podManagementPolicy", "spec.revisionHistoryLimit"};
  if (std::ranges::all_of(kFixed, [&](std::string_view path) { return core::StaysAt(object, path); })) return;
  object.errors.Forbidden(FieldPath("spec"),
                          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
                          "'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
                          "forbidden");
}

constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMetaUpdate),
    IntoStruct("spec", kSpecRules),
    Call(CheckFixedFields),
};

void CheckProportions(Scope& status) {
  for (std::string_view field : {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"}) {
    CheckAtMost(status, field, "replicas", "cannot be greater than status.replicas");
  }
  CheckAtMost(status, "availableReplicas", "readyReplicas", "cannot be greater than status.readyReplicas");
}

constexpr Rule kStatusFields[] = {
    NonNegative("replicas"),        NonNegative("readyReplicas"),     NonNegative("currentReplicas"),
    NonNegative("updatedReplicas"), NonNegative("availableReplicas"), NonNegative("observedGeneration"),
    NonNegative("collisionCount"),  Call(CheckProportions),
};
constexpr Rule kStatusRules[] = {
    IntoStruct("status", kStatusFields),
    Call(CheckObjectMetaUpdate),
    Call(CheckCollisionCount),
};

// A set that has updateStrategy.rollingUpdate.maxUnavailable keeps it where its gate is off.
void DropGatedFields(WriteContext& context, Value object, const Value* old) {
  if (context.Has(Feature::kMaxUnavailableStatefulSet)) return;
  const auto rolling = [](const Value& set) { return set.Get({"spec", "updateStrategy", "rollingUpdate"}); };
  if (old != nullptr && rolling(*old).Find("maxUnavailable") != nullptr) return;
  rolling(object).Remove("maxUnavailable");
}

void PrepareForCreate(WriteContext& context, Value object) {
  DropGatedFields(context, object, nullptr);
  core::PrepareTemplate(context, object);
}

void PrepareForUpdate(WriteContext& context, Value object, const Value& old) {
  if (context.subresource.empty()) DropGatedFields(context, object, &old);
  core::PrepareTemplateUpdate(context, object, old);
}

// An update says it of claims in a place that does not exist.
void WarnOnWrite(WriteContext& context, const Value& object, const Value* old) {
  if (!context.subresource.empty()) return;
  core::WarnOfTemplateAt(context, object, old, {"spec", "template"});
  const FieldPath spec("spec"), list = spec.Child("volumeClaimTemplates");
  const Value claims = object.Get({"spec", "volumeClaimTemplates"});
  for (uint32_t i = 0; i < claims.size(); ++i) {
    const FieldPath claim = list.Index(i), inner = claim.Child("Spec");
    core::WarnOfClaimSpec(old == nullptr ? claim : inner, claims[i].Get("spec"), context.warnings);
  }
}

}  // namespace

constinit const registry::StrategyTable kStatefulSets = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .warnings_on_write = WarnOnWrite,
    .facts =
        {
            .check_name = api::CheckNameIsDnsLabel,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
            .generation_of = kSpec,
        },
};

}  // namespace resources::apps
