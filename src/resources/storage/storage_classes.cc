#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/node_selector.h"
#include "resources/rules/validation.h"
#include "resources/storage/class_rules.h"
#include "resources/strategies.h"

namespace resources::storage {
namespace {

constexpr std::string_view kReclaimPolicies[] = {"Delete", "Retain"};
constexpr std::string_view kBindingModes[] = {"Immediate", "WaitForFirstConsumer"};

void CheckProvisioner(Scope& scope) { CheckDriver(scope.errors, scope.At("provisioner"), scope.String("provisioner")); }

void CheckAllParameters(Scope& scope) {
  CheckParameters(scope.errors, scope.At("parameters"), scope.Get("parameters"));
}

void CheckBindingMode(Scope& scope) {
  const std::string_view mode = scope.String("volumeBindingMode");
  if (std::ranges::find(kBindingModes, mode) != std::end(kBindingModes)) return;
  scope.errors.NotSupported(scope.At("volumeBindingMode"), mode, kBindingModes);
}

// A topology as sets of values by key, so that order does not matter.
using Topology = std::map<std::string_view, std::set<std::string_view>>;

std::set<std::string_view> CheckValues(Errors& errors, const FieldPath& path, const Value& values) {
  std::set<std::string_view> seen;
  if (values.empty()) errors.Required(path);
  for (uint32_t i = 0; i < values.size(); ++i) {
    const std::string_view text = values[i].AsString();
    if (!seen.insert(text).second) errors.Duplicate(path.Index(i), text);
  }
  return seen;
}

Topology CheckTerm(Errors& errors, const FieldPath& path, const Value& term) {
  Topology topology;
  const FieldPath expressions = path.Child("matchLabelExpressions");
  int64_t index = 0;
  for (const Value& expression : term.Get("matchLabelExpressions").items()) {
    const FieldPath item = expressions.Index(index++);
    const std::string_view key = expression.GetString("key");
    std::set<std::string_view> values = CheckValues(errors, item.Child("values"), expression.Get("values"));
    kQualifiedName(errors, item.Child("key"), key);
    if (topology.contains(key)) errors.Duplicate(item.Child("key"), key);
    topology[key] = std::move(values);
  }
  return topology;
}

// Terms differ from each other. The real server compares each with as many empty ones besides.
void CheckTopologies(Scope& scope) {
  const Value terms = scope.Get("allowedTopologies");
  const FieldPath path = scope.At("allowedTopologies");
  std::map<Topology, uint32_t> before{{Topology(), terms.size()}};
  for (uint32_t i = 0; i < terms.size(); ++i) {
    const FieldPath item = path.Index(i);
    uint32_t& equal = before[CheckTerm(scope.errors, item, terms[i])];
    for (uint32_t found = 0; found < equal && !scope.errors.full(); ++found) {
      scope.errors.Duplicate(item.Child("matchLabelExpressions"), "");
    }
    ++equal;
  }
}

void CheckKept(Scope& scope) {
  CheckParametersKept(scope);
  for (std::string_view field : {"provisioner", "reclaimPolicy"}) {
    if (scope.String(field) == scope.old->GetString(field)) continue;
    scope.errors.Forbidden(scope.At(field), base::Cat("updates to ", field, " are forbidden."));
  }
}

void Warn(registry::WriteContext& context, const Value& object, const Value*) {
  const FieldPath topologies("allowedTopologies");
  int64_t index = 0;
  for (const Value& term : object.Get("allowedTopologies").items()) {
    const FieldPath item = topologies.Index(index++);
    const FieldPath expressions = item.Child("matchLabelExpressions");
    int64_t place = 0;
    for (const Value& expression : term.Get("matchLabelExpressions").items()) {
      const FieldPath path = expressions.Index(place++);
      const std::string_view text = DeprecatedNodeLabel(expression.GetString("key"));
      if (!text.empty()) context.warnings.push_back(base::Cat(path.Child("key").text(), ": ", text));
    }
  }
}

constexpr Rule kRules[] = {
    Call(CheckProvisioner), Call(CheckAllParameters), Enum("reclaimPolicy", kReclaimPolicies),
    Call(CheckBindingMode), Call(CheckTopologies),
};

void CheckAll(Scope& scope) { Check(scope, kRules, scope.path, scope.object, scope.old); }

constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta), Call(CheckAll), Call(CheckObjectMetaUpdate), Call(CheckKept), Immutable("volumeBindingMode"),
};

}  // namespace

constinit const registry::StrategyTable kStorageClasses = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .warnings_on_write = Warn,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::storage
