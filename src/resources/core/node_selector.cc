#include "resources/core/node_selector.h"

#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kNotAnOperator = "not a valid selector operator";

// How many values the operator takes.
void CheckCount(Errors& errors, const FieldPath& path, std::string_view op, const Value& values) {
  const FieldPath at = path.Child("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) errors.Required(at, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) errors.Forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) errors.Required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    errors.Invalid(path.Child("operator"), op, kNotAnOperator);
  }
}

// A requirement of the node's labels.
void CheckExpression(Errors& errors, const FieldPath& path, const Value& requirement, NodeSelectorOptions options) {
  const Value values = requirement.Get("values");
  CheckCount(errors, path, requirement.GetString("operator"), values);
  kQualifiedName(errors, path.Child("key"), requirement.GetString("key"));
  if (options.allow_invalid_values) return;
  const FieldPath list = path.Child("values");
  int64_t index = 0;
  for (const Value& value : values.items()) kLabelValue(errors, list.Index(index++), value.AsString());
}

// A requirement of the node's fields, of which its name is the only one.
void CheckField(Errors& errors, const FieldPath& path, const Value& requirement) {
  const Value values = requirement.Get("values");
  const std::string_view op = requirement.GetString("operator"), key = requirement.GetString("key");
  const FieldPath list = path.Child("values");
  if (op != "In" && op != "NotIn") {
    errors.Invalid(path.Child("operator"), op, kNotAnOperator);
  } else if (values.size() != 1) {
    errors.Required(list, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (key != "metadata.name") return errors.Invalid(path.Child("key"), key, "not a valid field selector key");
  int64_t index = 0;
  for (const Value& value : values.items()) kDnsSubdomain(errors, list.Index(index++), value.AsString());
}

}  // namespace

void CheckNodeSelectorTerm(Errors& errors, const FieldPath& path, const Value& term, NodeSelectorOptions options) {
  const FieldPath expressions = path.Child("matchExpressions"), fields = path.Child("matchFields");
  int64_t index = 0;
  for (const Value& requirement : term.Get("matchExpressions").items()) {
    CheckExpression(errors, expressions.Index(index++), requirement, options);
  }
  index = 0;
  for (const Value& requirement : term.Get("matchFields").items()) {
    CheckField(errors, fields.Index(index++), requirement);
  }
}

void CheckNodeSelectorTerms(Errors& errors, const FieldPath& path, const Value& selector, NodeSelectorOptions options) {
  const FieldPath terms = path.Child("nodeSelectorTerms");
  if (selector.Get("nodeSelectorTerms").empty()) {
    return errors.Required(terms, "must have at least one node selector term");
  }
  int64_t index = 0;
  for (const Value& term : selector.Get("nodeSelectorTerms").items()) {
    CheckNodeSelectorTerm(errors, terms.Index(index++), term, options);
  }
}

}  // namespace resources::core
