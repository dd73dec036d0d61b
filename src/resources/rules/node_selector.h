// What a NodeSelector must keep, wherever one stands: pods' affinity, persistent volumes, resource slices. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resources/rules/rules.h"

namespace resources {

struct NodeSelectorOptions {
  bool allow_invalid_values = false;  // label values in matchExpressions are not looked at
};

// Over a NodeSelector at `path`: at least one term, and each one's requirements.
void CheckNodeSelector(Errors& errors, const FieldPath& path, const Value& selector, NodeSelectorOptions options = {});
// Over a NodeSelectorTerm at `path`.
void CheckNodeSelectorTerm(Errors& errors, const FieldPath& path, const Value& term, NodeSelectorOptions options = {});

// What is said of node labels that are no longer to be used; "" of others.
std::string_view DeprecatedNodeLabel(std::string_view label);
// A warning for each such label in the expressions of a NodeSelectorTerm at `path`, or of a LabelSelector.
void WarnOfNodeLabels(const FieldPath& path, const Value& term, std::vector<std::string>& warnings);

}  // namespace resources
