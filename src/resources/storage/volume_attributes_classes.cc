#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/storage/class_rules.h"
#include "resources/strategies.h"

namespace resources::storage {
namespace {

void CheckAll(Scope& scope) {
  const Value parameters = scope.Get("parameters");
  CheckDriver(scope.errors, scope.At("driverName"), scope.String("driverName"));
  CheckParameters(scope.errors, scope.At("parameters"), parameters);
  if (parameters.empty()) {
    scope.errors.Required(scope.At("parameters"), "must contain at least one key/value pair");
  }
}

void CheckKept(Scope& scope) {
  if (scope.String("driverName") != scope.old->GetString("driverName")) {
    scope.errors.Forbidden(scope.At("driverName"), "updates to driverName are forbidden.");
  }
  CheckParametersKept(scope);
}

constexpr Rule kRules[] = {Call(CheckAll)};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta), Call(CheckAll),        Call(CheckObjectMetaUpdate),
    Call(CheckKept),       Call(CheckObjectMeta), Call(CheckAll),
};

}  // namespace

constinit const registry::StrategyTable kVolumeAttributesClasses = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::storage
