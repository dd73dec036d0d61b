#include <algorithm>

#include "base/text.h"
#include "resources/core/pod/pod_disabled_fields.h"
#include "resources/core/pod/pod_warnings.h"
#include "resources/core/pod/selected_template.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::core {
namespace {

constexpr std::string_view kNotAboveReplicas = "cannot be greater than status.replicas";

// The selector takes the labels that the template gives.
void CheckSelected(Scope& spec) {
  const Value labels = spec.Get({"template", "metadata", "labels"}), selector = spec.Get("selector");
  const auto given = [&](const value::Member& wanted) {
    const Value* label = labels.Find(wanted.key);
    return label != nullptr && value::Equal(*label, wanted.value);
  };
  if (std::ranges::all_of(selector.members(), given)) return;
  const FieldPath pod_template = spec.At("template"), metadata = pod_template.Child("metadata");
  spec.errors.InvalidAs(metadata.Child("labels"), PrintLabels(labels), "`selector` does not match template `labels`");
}

void CheckPods(Scope& spec) {
  if (!spec.Has("template")) return spec.errors.Required(spec.At("template"));
  CheckSelected(spec);
  CheckTemplate(spec);
  CheckPodsRunForever(spec, "ReplicationController");
}

constexpr Rule kSpecRules[] = {
    NonNegative("minReadySeconds"),
    Required("selector"),
    NonNegative("replicas"),
    Call(CheckPods),
};

// An absent spec is an empty one.
void CheckSpec(Scope& controller) {
  const Value spec = controller.Get("spec"), old = controller.old != nullptr ? controller.old->Get("spec") : Value();
  Check(controller, kSpecRules, controller.At("spec"), spec, controller.old != nullptr ? &old : nullptr);
}

void CheckCounts(Scope& status) {
  for (std::string_view field : {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"}) {
    if (status.Int(field) <= status.Int("replicas")) continue;
    status.errors.Invalid(status.At(field), status.Int(field), kNotAboveReplicas);
  }
  if (status.Int("availableReplicas") <= status.Int("readyReplicas")) return;
  status.errors.Invalid(status.At("availableReplicas"), status.Int("availableReplicas"),
                        "cannot be greater than readyReplicas");
}

constexpr Rule kStatus[] = {
    NonNegative("replicas"),          NonNegative("fullyLabeledReplicas"), NonNegative("readyReplicas"),
    NonNegative("availableReplicas"), NonNegative("observedGeneration"),   Call(CheckCounts),
};

constexpr Rule kCreateRules[] = {Call(CheckSpec)};
// The real server holds an update against everything twice, and says so.
constexpr Rule kUpdateRules[] = {Call(CheckObjectMeta), Call(CheckSpec), Call(CheckObjectMetaUpdate), Call(CheckSpec)};
constexpr Rule kStatusRules[] = {Call(CheckObjectMetaUpdate), Into("status", kStatus)};

Value PodSpecOf(const Value& controller) { return controller.Get({"spec", "template", "spec"}); }

void PrepareForCreate(registry::WriteContext& context, Value controller) {
  DropDisabledFields(context, PodSpecOf(controller), Value());
}

void PrepareForUpdate(registry::WriteContext& context, Value controller, const Value& old) {
  if (context.subresource != "status") DropDisabledFields(context, PodSpecOf(controller), PodSpecOf(old));
}

void Warn(registry::WriteContext& context, const Value& controller, const Value* old) {
  if (!context.subresource.empty()) return;
  const api::Complaints complaints = api::CheckDns1123Label(controller.Get("metadata").GetString("name"));
  if (old == nullptr && !complaints.empty()) {
    context.warnings.push_back(base::Cat(
        "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label "
        "is recommended: [",
        base::Join(complaints, " "), "]"));
  }
  // On update the real server has the two in each other's place: it speaks of the template that was.
  const Value& subject = old != nullptr ? *old : controller;
  WarnOfTemplateAt(context, subject, old != nullptr ? &controller : nullptr, {"spec", "template"});
}

}  // namespace

constinit const registry::StrategyTable kReplicationControllers = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kCreateRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .warnings_on_write = Warn,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
            .generation_of = kSpec,
            .deletion_default = registry::DeletionDefault::kOrphan,
        },
};

}  // namespace resources::core
