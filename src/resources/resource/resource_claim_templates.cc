#include "registry/semantic_equality.h"
#include "resources/resource/device_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::resource {
namespace {

using registry::WriteContext;

void PrepareForCreate(WriteContext& context, Value claim_template) {
  DropAdminAccess(context, claim_template.Get({"spec", "spec", "devices"}), Value());
}

void PrepareForUpdate(WriteContext& context, Value claim_template, const Value& old) {
  DropAdminAccess(context, claim_template.Get({"spec", "spec", "devices"}), old.Get({"spec", "spec", "devices"}));
}

void CheckSpec(Scope& claim_template, bool stored) {
  const FieldPath path = claim_template.At("spec");
  const Value spec = claim_template.Get("spec");
  CheckTemplateMetadata(claim_template.errors, path.Child("metadata"), spec.Get("metadata"));
  CheckClaimSpec(claim_template.errors, path.Child("spec"), spec.Get("spec"), stored);
}

void CheckNew(Scope& claim_template) { CheckSpec(claim_template, false); }

void CheckUnchanged(Scope& claim_template) {
  if (!registry::SameAt(*claim_template.context.resource.type, "spec", claim_template.object, *claim_template.old)) {
    claim_template.errors.InvalidAs(claim_template.At("spec"),
                                    PrintStruct("ResourceClaimTemplateSpec", claim_template.Get("spec")),
                                    "field is immutable");
  }
  CheckSpec(claim_template, true);
}

constexpr Rule kRules[] = {Call(CheckNew)};
// A changed template is held against all rules of a new one first.
constexpr Rule kUpdateRules[] = {Call(CheckObjectMeta), Call(CheckNew), Call(CheckObjectMetaUpdate),
                                 Call(CheckUnchanged)};

}  // namespace

constinit const registry::StrategyTable kResourceClaimTemplates = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::resource
