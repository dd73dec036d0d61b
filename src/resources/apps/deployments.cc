#include "base/text.h"
#include "resources/apps/deprecated_annotations.h"
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

void CheckRollingUpdate(Errors& errors, const FieldPath& path, const Value& rolling) {
  const FieldPath at_unavailable = path.Child("maxUnavailable");
  const Value unavailable = rolling.Get("maxUnavailable"), surge = rolling.Get("maxSurge");
  CheckIntOrPercent(errors, at_unavailable, unavailable);
  CheckIntOrPercent(errors, path.Child("maxSurge"), surge);
  if (AmountOf(unavailable) == 0 && AmountOf(surge) == 0) {
    errors.InvalidAs(at_unavailable, PrintIntOrString(unavailable), "may not be 0 when `maxSurge` is 0");
  }
  CheckAtMost100Percent(errors, at_unavailable, unavailable);
}

void CheckStrategy(Scope& spec) {
  const FieldPath path = spec.At("strategy"), at_rolling = path.Child("rollingUpdate");
  const Value strategy = spec.Get("strategy");
  const Value* rolling = strategy.Find("rollingUpdate");
  const std::string_view type = strategy.GetString("type");
  if (type == "Recreate") {
    if (rolling != nullptr) {
      spec.errors.Forbidden(at_rolling, "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type != "RollingUpdate") {
    static constexpr std::string_view kTypes[] = {"Recreate", "RollingUpdate"};
    spec.errors.NotSupportedAs(path, core::PrintStruct("apps.DeploymentStrategy", strategy), kTypes);
  } else if (rolling == nullptr) {
    spec.errors.Required(at_rolling, "this should be defaulted and never be nil");
  } else {
    CheckRollingUpdate(spec.errors, at_rolling, *rolling);
  }
}

// The revision that an update once asked to roll back to: a field of versions that are gone.
void CheckRollback(Scope& spec) {
  const std::optional<int64_t> revision = RollbackRevision(spec.parent->object);
  const FieldPath rollback = spec.At("rollback");
  if (revision) CheckNonNegative(spec.errors, rollback.Child("version"), *revision);
}

void CheckProgressDeadline(Scope& spec) {
  const Value* deadline = spec.object.Find("progressDeadlineSeconds");
  if (deadline == nullptr) return;
  const FieldPath path = spec.At("progressDeadlineSeconds");
  CheckNonNegative(spec.errors, path, deadline->AsInt());
  if (deadline->AsInt() <= spec.Int("minReadySeconds")) {
    spec.errors.Invalid(path, deadline->AsInt(), "must be greater than minReadySeconds");
  }
}

constexpr Rule kSpecRules[] = {
    NonNegative("replicas"),        Call(CheckReplicatedPods),           Call(CheckStrategy),
    NonNegative("minReadySeconds"), NonNegative("revisionHistoryLimit"), Call(CheckRollback),
    Call(CheckProgressDeadline),
};
constexpr Rule kRules[] = {
    IntoStruct("spec", kSpecRules),
};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMetaUpdate),
    IntoStruct("spec", kSpecRules),
    Call(core::CheckSelectorStays),
};

void CheckProportions(Scope& status) {
  for (std::string_view field : {"updatedReplicas", "readyReplicas", "availableReplicas"}) {
    CheckAtMost(status, field, "replicas", "cannot be greater than status.replicas");
  }
  CheckAtMost(status, "availableReplicas", "readyReplicas", "cannot be greater than readyReplicas");
}

constexpr Rule kStatusFields[] = {
    NonNegative("observedGeneration"), NonNegative("replicas"),          NonNegative("updatedReplicas"),
    NonNegative("readyReplicas"),      NonNegative("availableReplicas"), NonNegative("unavailableReplicas"),
    NonNegative("collisionCount"),     Call(CheckProportions),
};
constexpr Rule kStatusRules[] = {
    Call(CheckObjectMetaUpdate),
    IntoStruct("status", kStatusFields),
    Call(CheckCollisionCount),
};

void WarnOnWrite(registry::WriteContext& context, const Value& object, const Value* old) {
  if (old == nullptr) WarnOfName(context, object);
  core::WarnOfTemplateAt(context, object, old, {"spec", "template"});
}

constexpr std::string_view kGenerationOf[] = {"spec", "metadata.annotations"};

constexpr std::string_view kStatusResets[] = {"spec", "metadata.labels"};
constexpr registry::ResetPaths kResets[] = {{"status", kStatusResets}};

}  // namespace

constinit const registry::StrategyTable kDeployments = {
    .prepare_for_create = core::PrepareTemplate,
    .prepare_for_update = core::PrepareTemplateUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .warnings_on_write = WarnOnWrite,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
            .generation_of = kGenerationOf,
            .resets = kResets,
            .status_write_keeps = registry::kLabels,
        },
};

}  // namespace resources::apps
