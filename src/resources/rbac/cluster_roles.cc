#include "resources/rbac/rbac_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::rbac {
namespace {

bool IsGood(const Value& selector) {
  Errors errors;
  CheckLabelSelector(errors, FieldPath(), selector);
  return errors.empty();
}

// Selectors stored with label values that are none may stay so.
bool HasBadSelector(const Value* role) {
  if (role == nullptr) return false;
  for (const Value& selector : role->Get({"aggregationRule", "clusterRoleSelectors"}).items()) {
    if (!IsGood(selector)) return true;
  }
  return false;
}

// Which roles' rules make up this one's.
void CheckAggregation(Scope& role) {
  if (!role.Has("aggregationRule")) return;
  const FieldPath rule = role.At("aggregationRule");
  const FieldPath list = rule.Child("clusterRoleSelectors");
  const Value selectors = role.Get("aggregationRule").Get("clusterRoleSelectors");
  if (selectors.empty()) {
    role.errors.Required(list, "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  const LabelSelectorOptions options{.allow_invalid_values = HasBadSelector(role.old)};
  for (uint32_t i = 0; i < selectors.size(); ++i) {
    CheckLabelSelector(role.errors, list.Index(i), selectors[i], options);
    if (!IsGood(selectors[i])) role.errors.Invalid(list.Index(i), Value(), "invalid label selector.");
  }
}

constexpr Rule kPolicyRule[] = {Call(CheckClusterRule)};
constexpr Rule kRules[] = {Each("rules", kPolicyRule), Call(CheckAggregation)};
// An update is looked at twice, and tells everything twice.
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta),      Each("rules", kPolicyRule), Call(CheckAggregation),      Call(CheckObjectMeta),
    Each("rules", kPolicyRule), Call(CheckAggregation),     Call(CheckObjectMetaUpdate),
};

}  // namespace

constinit const registry::StrategyTable kClusterRoles = {
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
