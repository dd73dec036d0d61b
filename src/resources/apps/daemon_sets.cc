#include <algorithm>

#include "registry/semantic_equality.h"
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

using registry::WriteContext;

// An update keeps a malformed label value that was there before, in the selector.
void CheckSelector(Scope& spec) {
  const Value selector = spec.Get("selector");
  const bool had_invalid = spec.old != nullptr && core::HasInvalidLabelValue(spec.old->Get("selector"));
  CheckLabelSelector(spec.errors, spec.At("selector"), selector, {.allow_invalid_values = had_invalid});
  if (core::IsUsableSelector(selector)) core::CheckTemplateIsSelected(spec);
  if (core::IsEmptySelector(selector)) {
    spec.errors.InvalidAs(spec.At("selector"), core::PrintSelector(selector),
                          "empty selector is invalid for daemonset");
  }
}

void CheckPods(Scope& spec) {
  core::CheckTemplate(spec);
  core::CheckPodsRunForever(spec, "DaemonSet");
}

void CheckRollingUpdate(Errors& errors, const FieldPath& path, const Value& rolling) {
  const FieldPath at_unavailable = path.Child("maxUnavailable"), at_surge = path.Child("maxSurge");
  const Value unavailable = rolling.Get("maxUnavailable"), surge = rolling.Get("maxSurge");
  CheckIntOrPercent(errors, at_unavailable, unavailable);
  CheckIntOrPercent(errors, at_surge, surge);
  CheckAtMost100Percent(errors, at_unavailable, unavailable);
  CheckAtMost100Percent(errors, at_surge, surge);
  const bool has_unavailable = AmountOf(unavailable) != 0, has_surge = AmountOf(surge) != 0;
  if (has_unavailable && has_surge) {
    errors.InvalidAs(at_surge, PrintIntOrString(surge), "may not be set when maxUnavailable is non-zero");
  } else if (!has_unavailable && !has_surge) {
    errors.Required(at_unavailable, "cannot be 0 when maxSurge is 0");
  }
}

void CheckStrategy(Scope& spec) {
  const FieldPath path = spec.At("updateStrategy"), at_rolling = path.Child("rollingUpdate");
  const Value strategy = spec.Get("updateStrategy");
  const std::string_view type = strategy.GetString("type");
  if (type == "OnDelete") return;
  if (type != "RollingUpdate") {
    static constexpr std::string_view kTypes[] = {"RollingUpdate", "OnDelete"};
    spec.errors.NotSupportedAs(path, core::PrintStruct("apps.DaemonSetUpdateStrategy", strategy), kTypes);
  } else if (const Value* rolling = strategy.Find("rollingUpdate")) {
    CheckRollingUpdate(spec.errors, at_rolling, *rolling);
  } else {
    spec.errors.Required(at_rolling);
  }
}

constexpr Rule kSpecRules[] = {
    Call(CheckSelector),
    Call(CheckPods),
    NonNegative("minReadySeconds"),
    Call(CheckStrategy),
    NonNegative("revisionHistoryLimit"),
};
constexpr Rule kRules[] = {
    IntoStruct("spec", kSpecRules),
};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta),          IntoStruct("spec", kSpecRules), Call(CheckObjectMetaUpdate),
    IntoStruct("spec", kSpecRules), Call(core::CheckSelectorStays),
};

constexpr Rule kStatusFields[] = {
    NonNegative("currentNumberScheduled"), NonNegative("numberMisscheduled"),
    NonNegative("desiredNumberScheduled"), NonNegative("numberReady"),
    NonNegative("observedGeneration"),     NonNegative("updatedNumberScheduled"),
    NonNegative("numberAvailable"),        NonNegative("numberUnavailable"),
    NonNegative("collisionCount"),
};
constexpr Rule kStatusRules[] = {
    Call(CheckObjectMetaUpdate),
    IntoStruct("status", kStatusFields),
    Call(CheckCollisionCount),
};

void PrepareForCreate(WriteContext& context, Value object) {
  core::PrepareTemplate(context, object);
  SetTemplateGeneration(object, std::max<int64_t>(TemplateGeneration(object), 1), context.arena);
}

// The generation of the template counts its changes, whatever a client says.
void PrepareForUpdate(WriteContext& context, Value object, const Value& old) {
  core::PrepareTemplateUpdate(context, object, old);
  const bool changed = !registry::SameAt(*context.resource.type, "spec.template", object, old);
  SetTemplateGeneration(object, TemplateGeneration(old) + (changed ? 1 : 0), context.arena);
}

void WarnOnWrite(WriteContext& context, const Value& object, const Value* old) {
  if (old != nullptr && TemplateGeneration(object) == TemplateGeneration(*old)) return;
  core::WarnOfTemplateAt(context, object, old, {"spec", "template"});
}

}  // namespace

constinit const registry::StrategyTable kDaemonSets = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .warnings_on_write = WarnOnWrite,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
            .generation_of = kSpec,
        },
};

}  // namespace resources::apps
