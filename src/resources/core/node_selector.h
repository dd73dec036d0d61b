// Node selectors, as affinity of pods and of volumes have them. Pure; any thread.
#pragma once

#include "resources/rules/errors.h"

namespace resources::core {

struct NodeSelectorOptions {
  bool allow_invalid_values = false;  // values need not be label values
};

// A NodeSelector, its terms at `path`.nodeSelectorTerms.
void CheckNodeSelectorTerms(Errors& errors, const FieldPath& path, const Value& selector, NodeSelectorOptions options);
// One NodeSelectorTerm.
void CheckNodeSelectorTerm(Errors& errors, const FieldPath& path, const Value& term, NodeSelectorOptions options);

}  // namespace resources::core
