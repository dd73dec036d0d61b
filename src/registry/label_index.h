// By what lists find objects without looking at all of them: labels and the indexed field of stored objects as terms of
// the store. What is found this way is still matched; terms only say where to look. Pure but for the store; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/selector.h"
#include "registry/resource.h"
#include "store/store.h"

namespace registry {

// The labels object of a stored object as raw JSON, and what follows it; "" where there is none.
std::string_view LabelsOf(const store::Cell& cell);

// A term for each label of a stored object and one for its indexed field: store::Options::terms.
void CollectTerms(const store::Cell& cell, std::vector<store::Term>& terms);

// All that the selectors can match of the snapshot of `resource`, below `prefix` and from `start` on. None where a scan
// does as well: where the selectors name no value (or very many), where the range is small or most of it would be
// found, where the store cannot tell.
std::optional<store::Candidates> FindCandidates(store::Store& store, const Resource& resource,
                                                const store::Snapshot& snapshot, const api::LabelSelector& labels,
                                                const api::FieldSelector& fields, const std::string& prefix,
                                                const std::string& start);

}  // namespace registry
