#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "resources/core/resource_rules.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/json_writer.h"

namespace resources::core {
namespace {

constexpr std::string_view kScopes[] = {"Terminating",   "NotTerminating", "BestEffort",
                                        "NotBestEffort", "PriorityClass",  "CrossNamespacePodAffinity"};
// Scopes that a pod is in or not: nothing can be compared with.
constexpr std::string_view kPlainScopes[] = {"BestEffort", "NotBestEffort", "Terminating", "NotTerminating",
                                             "CrossNamespacePodAffinity"};
constexpr std::string_view kPodResources[] = {"pods",          "cpu",          "memory",         "limits.cpu",
                                              "limits.memory", "requests.cpu", "requests.memory"};

bool IsOneOf(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Whether what is counted of `resource` can be told apart by `scope`.
bool IsScopeOf(std::string_view scope, std::string_view resource) {
  if (!IsOneOf(kScopes, scope)) return true;
  return scope == "BestEffort" ? resource == "pods" : IsOneOf(kPodResources, resource);
}

void CheckAmounts(Errors& errors, const FieldPath& path, const Value& amounts) {
  for (const value::Member& amount : amounts.members()) {
    const FieldPath at = path.Key(amount.key);
    CheckQuotaResourceName(errors, at, amount.key);
    CheckResourceAmount(errors, at, amount.key, amount.value);
  }
}

std::string PrintScopes(const Scope& spec) { return PrintListOf("core.ResourceQuotaScope", spec.Get("scopes")); }

void CheckHard(Scope& spec) { CheckAmounts(spec.errors, spec.At("hard"), spec.Get("hard")); }

// One error of `bad` for each resource of the quota that `scope` does not fit.
void CheckScopeFits(Scope& spec, const FieldPath& path, std::string_view scope, const std::string& bad) {
  for (const value::Member& amount : spec.Get("hard").members()) {
    if (!IsStandardQuotaResource(amount.key) || IsScopeOf(scope, amount.key)) continue;
    spec.errors.InvalidAs(path, bad, "unsupported scope applied to resource");
  }
}

// Scopes that no pod can be in at once. The error shows spec.scopes, wherever they are.
void CheckConflicts(Scope& spec, const FieldPath& path, const std::set<std::string_view>& scopes) {
  for (const auto& [one, other] :
       {std::pair{"BestEffort", "NotBestEffort"}, std::pair{"Terminating", "NotTerminating"}}) {
    if (!scopes.contains(one) || !scopes.contains(other)) continue;
    spec.errors.InvalidAs(path, PrintScopes(spec), "conflicting scopes");
  }
}

void CheckScopes(Scope& spec) {
  const Value scopes = spec.Get("scopes");
  const FieldPath path = spec.At("scopes");
  std::set<std::string_view> seen;
  const std::string printed = PrintScopes(spec);
  for (const Value& scope : scopes.items()) {
    if (spec.errors.full()) return;  // each error shows all of them
    if (!IsOneOf(kScopes, scope.AsString())) spec.errors.InvalidAs(path, printed, "unsupported scope");
    CheckScopeFits(spec, path, scope.AsString(), printed);
    seen.insert(scope.AsString());
  }
  CheckConflicts(spec, path, seen);
}

void CheckOperator(Errors& errors, const FieldPath& list, const Value& requirement) {
  const std::string_view op = requirement.GetString("operator");
  const Value values = requirement.Get("values");
  if (IsOneOf(kPlainScopes, requirement.GetString("scopeName")) && op != "Exists") {
    errors.Invalid(list.Child("operator"), op,
                   "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                   "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
                   "ResourceQuotaScopeCrossNamespacePodAffinity");
  }
  if (op == "In" || op == "NotIn") {
    if (!values.empty()) return;
    errors.Required(list.Child("values"),
                    "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (values.empty()) return;
    errors.Invalid(list.Child("values"), values,
                   "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
  } else {
    errors.Invalid(list.Child("operator"), op, "not a valid selector operator");
  }
}

// Errors stand at the list, not at the item.
void CheckScopeSelector(Scope& spec) {
  const Value selector = spec.Get("scopeSelector");
  const FieldPath at_selector = spec.At("scopeSelector");
  const FieldPath list = at_selector.Child("matchExpressions");
  std::set<std::string_view> seen;
  const std::string printed = value::ToJson(selector);
  for (const Value& requirement : selector.Get("matchExpressions").items()) {
    if (spec.errors.full()) return;  // as above
    const std::string_view scope = requirement.GetString("scopeName");
    if (!IsOneOf(kScopes, scope)) spec.errors.Invalid(list.Child("scopeName"), scope, "unsupported scope");
    CheckScopeFits(spec, list, scope, printed);
    CheckOperator(spec.errors, list, requirement);
    seen.insert(scope);
  }
  CheckConflicts(spec, list, seen);
}

// What a quota counts does not change, in whatever order it is said.
void CheckSameScopes(Scope& spec) {
  const auto scopes_of = [](const Value& of) {
    std::set<std::string_view> scopes;
    for (const Value& scope : of.Get("scopes").items()) scopes.insert(scope.AsString());
    return scopes;
  };
  if (scopes_of(spec.object) == scopes_of(*spec.old)) return;
  spec.errors.InvalidAs(spec.At("scopes"), PrintScopes(spec), "field is immutable");
}

void CheckStatus(Scope& quota) {
  const FieldPath status = quota.At("status");
  for (std::string_view field : {"hard", "used"}) {
    CheckAmounts(quota.errors, status.Child(field), quota.Get({"status", field}));
  }
}

constexpr Rule kSpecRules[] = {Call(CheckHard), Call(CheckScopes), Call(CheckScopeSelector)};
constexpr Rule kSpecChanges[] = {Call(CheckHard), Call(CheckScopes), Call(CheckScopeSelector), Call(CheckSameScopes)};
constexpr Rule kRules[] = {Into("spec", kSpecRules)};
constexpr Rule kUpdateRules[] = {IntoStruct("spec", kSpecChanges)};
constexpr Rule kStatusRules[] = {Call(CheckStatus)};

}  // namespace

constinit const registry::StrategyTable kResourceQuotas = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::core
