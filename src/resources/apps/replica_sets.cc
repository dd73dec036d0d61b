#include "api/names.h"
#include "base/text.h"
#include "resources/apps/replica_rules.h"
#include "resources/core/pod/pod_warnings.h"
#include "resources/core/pod/selected_template.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::apps {
namespace {

constexpr Rule kSpecRules[] = {
    NonNegative("replicas"),
    NonNegative("minReadySeconds"),
    Call(CheckReplicatedPods),
};
constexpr Rule kRules[] = {
    IntoStruct("spec", kSpecRules),
};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta),          IntoStruct("spec", kSpecRules), Call(CheckObjectMetaUpdate),
    IntoStruct("spec", kSpecRules), Call(core::CheckSelectorStays),
};

void CheckProportions(Scope& status) {
  for (std::string_view field : {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"}) {
    CheckAtMost(status, field, "replicas", "cannot be greater than status.replicas");
  }
  CheckAtMost(status, "availableReplicas", "readyReplicas", "cannot be greater than readyReplicas");
}

constexpr Rule kStatusFields[] = {
    NonNegative("replicas"),          NonNegative("fullyLabeledReplicas"), NonNegative("readyReplicas"),
    NonNegative("availableReplicas"), NonNegative("observedGeneration"),   Call(CheckProportions),
};
constexpr Rule kStatusRules[] = {
    Call(CheckObjectMetaUpdate),
    IntoStruct("status", kStatusFields),
};

void WarnOnWrite(registry::WriteContext& context, const Value& object, const Value* old) {
  if (old == nullptr) WarnOfName(context, object);
  core::WarnOfTemplateAt(context, object, old, {"spec", "template"});
}

}  // namespace

void CheckReplicatedPods(Scope& spec) {
  core::CheckRequiredSelector(spec, "deployment");
  const Value selector = spec.Get("selector");
  if (!core::IsUsableSelector(selector)) {
    return spec.errors.InvalidAs(spec.At("selector"), core::PrintSelector(selector), "invalid label selector");
  }
  core::CheckTemplateIsSelected(spec);
  core::CheckTemplate(spec);
  core::CheckPodsRunForever(spec, "ReplicaSet");
}

void CheckAtMost(Scope& status, std::string_view field, std::string_view bound, std::string_view detail) {
  const int64_t number = status.Int(field);
  if (number > status.Int(bound)) status.errors.Invalid(status.At(field), number, detail);
}

void CheckCollisionCount(Scope& object) {
  const Value was = object.old->Get({"status", "collisionCount"}),
              now = object.object.Get({"status", "collisionCount"});
  if (!was.is_int() || (now.is_int() && now.AsInt() >= was.AsInt())) return;
  const FieldPath status("status");
  object.errors.Invalid(status.Child("collisionCount"), now.is_int() ? now.AsInt() : 0, "cannot be decremented");
}

void WarnOfName(registry::WriteContext& context, const Value& object) {
  const std::string_view name = object.Get("metadata").GetString("name");
  const api::Complaints complaints = api::CheckDns1123Label(name);
  if (complaints.empty()) return;
  context.warnings.push_back(
      base::Cat("metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a "
                "DNS label is recommended: [",
                base::Join(complaints, " "), "]"));
}

constinit const registry::StrategyTable kReplicaSets = {
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
            .generation_of = kSpec,
        },
};

}  // namespace resources::apps
