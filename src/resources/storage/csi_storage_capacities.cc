#include "base/text.h"
#include "registry/semantic_equality.h"
#include "resources/core/volume/claim_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/node_selector.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/json_writer.h"

namespace resources::storage {
namespace {

bool WasBroken(const Value* old) {
  if (old == nullptr || !old->Get("nodeTopology").is_object()) return false;
  Errors errors;
  CheckLabelSelector(errors, FieldPath(), old->Get("nodeTopology"));
  return !errors.empty();
}

void CheckTopology(Scope& capacity) {
  const Value topology = capacity.Get("nodeTopology");
  if (!topology.is_object()) return;
  CheckLabelSelector(capacity.errors, capacity.At("nodeTopology"), topology,
                     {.allow_invalid_values = WasBroken(capacity.old)});
}

void CheckClassAndAmount(Scope& capacity) {
  kDnsSubdomain(capacity.errors, capacity.At("storageClassName"), capacity.String("storageClassName"));
  if (!capacity.Has("capacity")) return;
  core::CheckAmountNotNegative(capacity.errors, capacity.At("capacity"), capacity.Get("capacity"));
}

void CheckKept(Scope& capacity) {
  constexpr std::string_view kWhy = "field is immutable";
  const Value *now = capacity.object.Find("nodeTopology"), *old = capacity.old->Find("nodeTopology");
  const schema::Type& selector = *schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector");
  const bool same = now != nullptr && old != nullptr ? registry::Same(selector, *now, *old) : now == old;
  if (!same && now != nullptr)
    capacity.errors.InvalidAs(capacity.At("nodeTopology"), base::Cat("v1.LabelSelector", value::ToJson(*now)), kWhy);
  if (!same && now == nullptr) capacity.errors.Invalid(capacity.At("nodeTopology"), "null", kWhy);
  const std::string_view name = capacity.String("storageClassName");
  if (name != capacity.old->GetString("storageClassName")) {
    capacity.errors.Invalid(capacity.At("storageClassName"), name, kWhy);
  }
}

void Warn(registry::WriteContext& context, const Value& object, const Value*) {
  WarnOfNodeLabels(FieldPath("nodeTopology"), object.Get("nodeTopology"), context.warnings);
}

constexpr Rule kRules[] = {Call(CheckTopology), Call(CheckClassAndAmount)};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta), Call(CheckTopology), Call(CheckClassAndAmount), Call(CheckObjectMetaUpdate), Call(CheckKept),
};

}  // namespace

constinit const registry::StrategyTable kCsiStorageCapacities = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .warnings_on_write = Warn,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .allow_unconditional_update = false,
        },
};

}  // namespace resources::storage
