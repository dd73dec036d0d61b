#include "registry/semantic_equality.h"
#include "resources/resource/device_rules.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::resource {
namespace {

constexpr int64_t kMostConfigurations = 32;

void CheckSpec(Scope& device_class, const Value* former) {
  const FieldPath path = device_class.At("spec");
  const Value spec = device_class.Get("spec");
  CheckSelectors(device_class.errors, path.Child("selectors"), spec.Get("selectors"));
  const bool stored = former != nullptr && registry::SameAt(*device_class.context.resource.type, "spec.config",
                                                            device_class.object, *former);
  CheckSlice(device_class.errors, path.Child("config"), spec.Get("config"), kMostConfigurations,
             [&](const FieldPath& at, const Value& configuration) {
               CheckConfiguration(device_class.errors, at, configuration, stored);
             });
}

void CheckNew(Scope& device_class) { CheckSpec(device_class, nullptr); }
void CheckChanged(Scope& device_class) { CheckSpec(device_class, device_class.old); }

constexpr Rule kRules[] = {Call(CheckNew)};
// A changed class is held against all rules of a new one first.
constexpr Rule kUpdateRules[] = {Call(CheckObjectMeta), Call(CheckNew), Call(CheckObjectMetaUpdate),
                                 Call(CheckChanged)};

}  // namespace

constinit const registry::StrategyTable kDeviceClasses = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
            .generation_of = kSpec,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::resource
