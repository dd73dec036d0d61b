#include "resources/rules/node_selector.h"

#include <utility>

#include "api/names.h"
#include "base/text.h"
#include "resources/rules/field_checks.h"

namespace resources {
namespace {

constexpr std::pair<std::string_view, std::string_view> kDeprecatedLabels[] = {
    {"beta.kubernetes.io/arch", R"(deprecated since v1.14; use "kubernetes.io/arch" instead)"},
    {"beta.kubernetes.io/os", R"(deprecated since v1.14; use "kubernetes.io/os" instead)"},
    {"failure-domain.beta.kubernetes.io/region",
     R"(deprecated since v1.17; use "topology.kubernetes.io/region" instead)"},
    {"failure-domain.beta.kubernetes.io/zone", R"(deprecated since v1.17; use "topology.kubernetes.io/zone" instead)"},
    {"beta.kubernetes.io/instance-type", R"(deprecated since v1.17; use "node.kubernetes.io/instance-type" instead)"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", R"(use "node-role.kubernetes.io/control-plane" instead)"},
};

// The number of values that an operator takes.
void CheckExpressionValues(Errors& errors, const FieldPath& path, std::string_view op, const Value& values) {
  const FieldPath at = path.Child("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) errors.Required(at, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) errors.Forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) errors.Required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    errors.Invalid(path.Child("operator"), op, "not a valid selector operator");
  }
}

void CheckExpression(Errors& errors, const FieldPath& path, const Value& requirement, NodeSelectorOptions options) {
  const Value values = requirement.Get("values");
  CheckExpressionValues(errors, path, requirement.GetString("operator"), values);
  kQualifiedName(errors, path.Child("key"), requirement.GetString("key"));
  if (options.allow_invalid_values) return;
  const FieldPath list = path.Child("values");
  for (uint32_t i = 0; i < values.size(); ++i) kLabelValue(errors, list.Index(i), values[i].AsString());
}

// Nodes can be selected by one field, their name.
void CheckFieldRequirement(Errors& errors, const FieldPath& path, const Value& requirement) {
  const std::string_view op = requirement.GetString("operator"), key = requirement.GetString("key");
  const Value values = requirement.Get("values");
  const FieldPath list = path.Child("values");
  if (op != "In" && op != "NotIn") {
    errors.Invalid(path.Child("operator"), op, "not a valid selector operator");
  } else if (values.size() != 1) {
    errors.Required(list, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (key != "metadata.name") {
    errors.Invalid(path.Child("key"), key, "not a valid field selector key");
    return;
  }
  for (uint32_t i = 0; i < values.size(); ++i) kDnsSubdomain(errors, list.Index(i), values[i].AsString());
}

}  // namespace

void CheckNodeSelectorTerm(Errors& errors, const FieldPath& path, const Value& term, NodeSelectorOptions options) {
  const Value expressions = term.Get("matchExpressions"), fields = term.Get("matchFields");
  const FieldPath at_expressions = path.Child("matchExpressions"), at_fields = path.Child("matchFields");
  for (uint32_t i = 0; i < expressions.size(); ++i) {
    CheckExpression(errors, at_expressions.Index(i), expressions[i], options);
  }
  for (uint32_t i = 0; i < fields.size(); ++i) CheckFieldRequirement(errors, at_fields.Index(i), fields[i]);
}

void CheckNodeSelector(Errors& errors, const FieldPath& path, const Value& selector, NodeSelectorOptions options) {
  const Value terms = selector.Get("nodeSelectorTerms");
  const FieldPath list = path.Child("nodeSelectorTerms");
  if (terms.empty()) errors.Required(list, "must have at least one node selector term");
  for (uint32_t i = 0; i < terms.size(); ++i) CheckNodeSelectorTerm(errors, list.Index(i), terms[i], options);
}

std::string_view DeprecatedNodeLabel(std::string_view label) {
  for (const auto& [deprecated, text] : kDeprecatedLabels) {
    if (deprecated == label) return text;
  }
  return {};
}

void WarnOfNodeLabels(const FieldPath& path, const Value& term, std::vector<std::string>& warnings) {
  const FieldPath expressions = path.Child("matchExpressions");
  int64_t index = 0;
  for (const Value& requirement : term.Get("matchExpressions").items()) {
    const FieldPath item = expressions.Index(index++);
    const std::string_view key = requirement.GetString("key"), text = DeprecatedNodeLabel(key);
    if (!text.empty()) warnings.push_back(base::Cat(item.Child("key").text(), ": ", key, " is ", text));
  }
  for (const value::Member& label : term.Get("matchLabels").members()) {
    const FieldPath labels = path.Child("matchLabels");
    const std::string_view text = DeprecatedNodeLabel(label.key);
    if (!text.empty()) warnings.push_back(base::Cat(labels.Child(label.key).text(), ": ", text));
  }
}

}  // namespace resources
