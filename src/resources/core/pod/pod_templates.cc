#include "resources/core/pod/pod_disabled_fields.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/pod/pod_warnings.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::core {
namespace {

constexpr std::string_view kGenerationOf[] = {"template"};

constexpr Rule kPodTemplateSpec[] = {Call(CheckPodTemplateSpec)};

// A template that is absent is an empty one.
void CheckTemplate(Scope& pod_template) {
  const Value* found = pod_template.object.Find("template");
  const Value* old = pod_template.old != nullptr ? pod_template.old->Find("template") : nullptr;
  Check(pod_template, kPodTemplateSpec, pod_template.At("template"), found != nullptr ? *found : Value(), old);
}

void Warn(registry::WriteContext& context, const Value& object, const Value* old) {
  WarnOfTemplateAt(context, object, old, {"template"});
}

constexpr Rule kRules[] = {Call(CheckTemplate)};

void PrepareForCreate(registry::WriteContext& context, Value pod_template) {
  DropDisabledFields(context, pod_template.Get({"template", "spec"}), Value());
}

void PrepareForUpdate(registry::WriteContext& context, Value pod_template, const Value& old) {
  DropDisabledFields(context, pod_template.Get({"template", "spec"}), old.Get({"template", "spec"}));
}

}  // namespace

constinit const registry::StrategyTable kPodTemplates = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules>,
    .warnings_on_write = Warn,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kUpdate,
            .has_generation = true,
            .generation_of = kGenerationOf,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::core
