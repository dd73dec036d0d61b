#include "resources/rbac/rbac_rules.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::rbac {
namespace {

constexpr Rule kRules[] = {Call(CheckRoleBinding)};
// An update is looked at twice, and tells everything twice.
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta),  Call(CheckRoleBinding),      Call(CheckObjectMeta),
    Call(CheckRoleBinding), Call(CheckObjectMetaUpdate), Call(CheckSameRole),
};

}  // namespace

constinit const registry::StrategyTable kRoleBindings = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckPathSegment,
            .update_checks = registry::MetadataChecks::kInRules,
            .allow_create_on_update = true,
            .deletes_unreadable = false,
        },
};

}  // namespace resources::rbac
