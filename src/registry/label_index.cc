#include "registry/label_index.h"

#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "registry/json_scan.h"

namespace registry {
namespace {

constexpr size_t kLeastRange = 256;  // objects that are scanned as fast as found
constexpr size_t kMostValues = 64;   // of one requirement
constexpr size_t kMostLists = 16;    // requirements that are looked up

enum class TermKind : uint8_t { kLabel, kIndexedField };

store::Term TermOf(TermKind kind, std::string_view key, std::string_view value) {
  return store::Term{absl::HashOf(kind, key, value)};
}

bool NamesValues(const api::LabelRequirement& requirement) {
  using Operator = api::LabelRequirement::Operator;
  const Operator op = requirement.op;
  return (op == Operator::kIn || op == Operator::kEquals || op == Operator::kDoubleEquals) &&
         requirement.values.size() <= kMostValues;
}

// One list of terms for each requirement that names values: an object that matches has a term of each list.
std::vector<std::vector<store::Term>> TermsOfSelectors(const Resource& resource, const api::LabelSelector& labels,
                                                       const api::FieldSelector& fields) {
  std::vector<std::vector<store::Term>> all;
  for (const api::LabelRequirement& requirement : labels.requirements()) {
    if (all.size() == kMostLists) break;
    if (!NamesValues(requirement)) continue;
    std::vector<store::Term>& terms = all.emplace_back();
    for (const std::string& value : requirement.values) {
      terms.push_back(TermOf(TermKind::kLabel, requirement.key, value));
    }
  }
  const std::string_view indexed = resource.strategy->facts().index_selector;
  const std::string* value = indexed.empty() ? nullptr : fields.RequiresExact(indexed);
  if (value != nullptr && !value->empty()) all.push_back({TermOf(TermKind::kIndexedField, {}, *value)});
  return all;
}

}  // namespace

// The store put the revision's digits in: before the labels of built-in types, behind those of custom resources, whose
// members are in alphabetical order.
std::string_view LabelsOf(const store::Cell& cell) {
  if (cell.labels_offset() == 0) return {};
  size_t at = cell.labels_offset();
  if (cell.revision_offset() <= cell.labels_offset()) {
    for (int64_t rest = cell.modified().value(); rest > 0; rest /= 10) ++at;
  }
  const std::string_view bytes = cell.bytes();
  return at < bytes.size() ? bytes.substr(at) : std::string_view();
}

void CollectTerms(const store::Cell& cell, std::vector<store::Term>& terms) {
  MemberScan scan(LabelsOf(cell));
  std::string_view key, raw;
  while (scan.Next(key, raw)) terms.push_back(TermOf(TermKind::kLabel, key, PlainText(raw)));
  if (!cell.index().empty()) terms.push_back(TermOf(TermKind::kIndexedField, {}, cell.index()));
}

std::optional<store::Candidates> FindCandidates(store::Store& store, const Resource& resource,
                                                const store::Snapshot& snapshot, const api::LabelSelector& labels,
                                                const api::FieldSelector& fields, const std::string& prefix,
                                                const std::string& start) {
  const std::vector<std::vector<store::Term>> all = TermsOfSelectors(resource, labels, fields);
  if (all.empty()) return std::nullopt;
  const size_t range = snapshot.Count(prefix, start);
  if (range < kLeastRange) return std::nullopt;
  std::optional<store::Candidates> best;
  size_t least = range / 2;
  for (const std::vector<store::Term>& terms : all) {
    auto found = store.Find(resource.storage->id, snapshot, terms, prefix, start);
    if (!found) continue;
    const size_t count = found->Count();
    if (count >= least) continue;
    least = count;
    best = std::move(found);
  }
  return best;
}

}  // namespace registry
