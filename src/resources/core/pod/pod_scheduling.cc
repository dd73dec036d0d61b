#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/text.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/pod/tolerations.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/node_selector.h"

namespace resources::core {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kUnsatisfiable[] = {"DoNotSchedule", "ScheduleAnyway"};
constexpr std::string_view kInclusionPolicies[] = {"Honor", "Ignore"};
constexpr std::string_view kNotPositive = "must be greater than zero";
constexpr std::string_view kNeedsSelector = "must not be specified when labelSelector is not set";

int64_t IntOf(const Value& object, std::string_view field) {
  const Value found = object.Get(field);
  return found.is_int() ? found.AsInt() : 0;
}

void CheckWeight(Errors& errors, const FieldPath& path, const Value& term) {
  const int64_t weight = IntOf(term, "weight");
  if (weight < 1 || weight > 100) errors.Invalid(path.Child("weight"), weight, "must be in the range 1-100");
}

// Values of node affinity are never looked at: they were free before they were checked, and nodes without a match are
// no harm.
void CheckNodeAffinity(Errors& errors, const FieldPath& path, const Value& affinity) {
  const FieldPath required = path.Child(kRequired), preferred = path.Child(kPreferred);
  if (const Value* selector = affinity.Find(kRequired)) {
    resources::CheckNodeSelector(errors, required, *selector, {.allow_invalid_values = true});
  }
  int64_t index = 0;
  for (const Value& term : affinity.Get(kPreferred).items()) {
    const FieldPath item = preferred.Index(index++);
    CheckWeight(errors, item, term);
    CheckNodeSelectorTerm(errors, item.Child("preference"), term.Get("preference"), {.allow_invalid_values = true});
  }
}

// Affinity to other pods.

void CheckSelectors(Errors& errors, const FieldPath& path, const Value& term, LabelSelectorOptions options) {
  for (std::string_view field : {"labelSelector", "namespaceSelector"}) {
    CheckLabelSelector(errors, path.Child(field), term.Get(field), options);
  }
}

// matchLabelKeys and mismatchLabelKeys say which labels of the pod itself go into the selector, so they need one.
void CheckLabelKeys(Errors& errors, const FieldPath& path, const Value& keys, const Value& selector) {
  if (keys.empty()) return;
  if (!selector.is_object()) return errors.Forbidden(path, kNeedsSelector);
  int64_t index = 0;
  for (const Value& key : keys.items()) kQualifiedName(errors, path.Index(index++), key.AsString());
}

// Creation has put a requirement of each of matchLabelKeys into the selector: a second one was the user's own.
void CheckKeysInSelector(Errors& errors, const FieldPath& path, const Value& keys, const Value& selector) {
  std::set<std::string_view> seen;
  for (const value::Member& label : selector.Get("matchLabels").members()) seen.insert(label.key);
  std::map<std::string_view, int64_t> last;  // of the places where a key stands
  int64_t index = 0;
  for (const Value& key : keys.items()) last[key.AsString()] = index++;
  for (const Value& requirement : selector.Get("matchExpressions").items()) {
    const std::string_view key = requirement.GetString("key");
    const bool second = !seen.insert(key).second;
    const auto place = last.find(key);
    if (!second || place == last.end()) continue;
    // The real server leaves the list's name out and has a place in a place.
    errors.Invalid(path.Index(place->second), key, "exists in both matchLabelKeys and labelSelector");
  }
}

void CheckKeys(Errors& errors, const FieldPath& path, const Value& term) {
  const Value selector = term.Get("labelSelector"), match = term.Get("matchLabelKeys");
  const Value mismatch = term.Get("mismatchLabelKeys");
  const FieldPath at_match = path.Child("matchLabelKeys");
  CheckLabelKeys(errors, at_match, match, selector);
  CheckLabelKeys(errors, path.Child("mismatchLabelKeys"), mismatch, selector);
  CheckKeysInSelector(errors, path, match, selector);
  const std::set<std::string_view> in_mismatch = TextsOf(mismatch);
  int64_t index = 0;
  for (const Value& key : match.items()) {
    const FieldPath item = at_match.Index(index++);
    if (!in_mismatch.contains(key.AsString())) continue;
    errors.Invalid(item, key.AsString(), "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

void CheckPodTerm(Errors& errors, const FieldPath& path, const Value& term, LabelSelectorOptions options) {
  CheckSelectors(errors, path, term, options);
  const FieldPath at_namespace = path.Child("namespace"), at_key = path.Child("topologyKey");
  for (const Value& name : term.Get("namespaces").items()) kDnsLabel(errors, at_namespace, name.AsString());
  CheckKeys(errors, path, term);
  const std::string_view key = term.GetString("topologyKey");
  if (key.empty()) errors.Required(at_key, "can not be empty");
  kQualifiedName(errors, at_key, key);
}

void CheckPodTerms(Errors& errors, const FieldPath& path, const Value& affinity, LabelSelectorOptions options) {
  const FieldPath required = path.Child(kRequired), preferred = path.Child(kPreferred);
  int64_t index = 0;
  for (const Value& term : affinity.Get(kRequired).items()) {
    CheckPodTerm(errors, required.Index(index++), term, options);
  }
  index = 0;
  for (const Value& term : affinity.Get(kPreferred).items()) {
    const FieldPath item = preferred.Index(index++);
    CheckWeight(errors, item, term);
    CheckPodTerm(errors, item.Child("podAffinityTerm"), term.Get("podAffinityTerm"), options);
  }
}

bool HasInvalidSelector(const Value& affinity) {
  Errors errors;
  const FieldPath path;
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    for (const Value& term : affinity.Get({kind, kRequired}).items()) CheckSelectors(errors, path, term, {});
    for (const Value& term : affinity.Get({kind, kPreferred}).items()) {
      CheckSelectors(errors, path, term.Get("podAffinityTerm"), {});
    }
  }
  return !errors.empty();
}

// Spread over topologies.

void CheckMinDomains(Errors& errors, const FieldPath& path, const Value& constraint) {
  const Value domains = constraint.Get("minDomains");
  if (!domains.is_int()) return;
  if (domains.AsInt() <= 0) errors.Invalid(path, domains.AsInt(), kNotPositive);
  const std::string_view action = constraint.GetString("whenUnsatisfiable");
  if (action == "DoNotSchedule") return;
  errors.Invalid(path, domains.AsInt(),
                 base::Cat("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ", action));
}

void CheckSpreadKeys(Errors& errors, const FieldPath& path, const Value& constraint) {
  const Value keys = constraint.Get("matchLabelKeys"), selector = constraint.Get("labelSelector");
  if (keys.empty()) return;
  if (!selector.is_object()) errors.Forbidden(path, kNeedsSelector);
  std::set<std::string_view> selected = TextsOf(selector.Get("matchExpressions"), "key");
  for (const value::Member& label : selector.Get("matchLabels").members()) selected.insert(label.key);
  int64_t index = 0;
  for (const Value& key : keys.items()) {
    const FieldPath item = path.Index(index++);
    kQualifiedName(errors, item, key.AsString());
    if (selected.contains(key.AsString())) {
      errors.Invalid(item, key.AsString(), "exists in both matchLabelKeys and labelSelector");
    }
  }
}

// The last place of each topology and action.
using LastPlaces = std::map<std::pair<std::string_view, std::string_view>, size_t>;

// Two constraints of one topology and action are one too many; the earlier is told.
void CheckNotRepeated(Errors& errors, const FieldPath& path, const Value& constraint, size_t place,
                      const LastPlaces& last) {
  const std::string_view key = constraint.GetString("topologyKey"), action = constraint.GetString("whenUnsatisfiable");
  if (last.at({key, action}) == place) return;
  errors.Duplicate(path.Child("{topologyKey, whenUnsatisfiable}"), base::Cat("{", key, ", ", action, "}"));
}

void CheckSpread(Errors& errors, const FieldPath& path, const Value& constraint, bool any_selector, size_t place,
                 const LastPlaces& last) {
  const int64_t skew = IntOf(constraint, "maxSkew");
  const std::string_view action = constraint.GetString("whenUnsatisfiable");
  if (skew <= 0) errors.Invalid(path.Child("maxSkew"), skew, kNotPositive);
  if (constraint.GetString("topologyKey").empty()) errors.Required(path.Child("topologyKey"), "can not be empty");
  if (std::ranges::find(kUnsatisfiable, action) == std::end(kUnsatisfiable)) {
    errors.NotSupported(path.Child("whenUnsatisfiable"), action, kUnsatisfiable);
  }
  CheckNotRepeated(errors, path, constraint, place, last);
  CheckMinDomains(errors, path.Child("minDomains"), constraint);
  for (std::string_view field : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
    const std::string_view policy = constraint.GetString(field);
    if (constraint.Find(field) == nullptr ||
        std::ranges::find(kInclusionPolicies, policy) != std::end(kInclusionPolicies)) {
      continue;
    }
    errors.NotSupported(path.Child(field), policy, kInclusionPolicies);
  }
  CheckSpreadKeys(errors, path.Child("matchLabelKeys"), constraint);
  if (!any_selector) CheckLabelSelector(errors, path.Child("labelSelector"), constraint.Get("labelSelector"));
}

bool HasInvalidSpread(const Value& spec) {
  Errors errors;
  for (const Value& constraint : spec.Get("topologySpreadConstraints").items()) {
    CheckLabelSelector(errors, FieldPath(), constraint.Get("labelSelector"));
  }
  return !errors.empty();
}

}  // namespace

void CheckNodeSelector(Scope& spec) { CheckLabels(spec.errors, spec.At("nodeSelector"), spec.Get("nodeSelector")); }

void CheckAffinity(Scope& spec) {
  const FieldPath path = spec.At("affinity");
  const Value affinity = spec.Get("affinity");
  const bool ratchet = spec.old != nullptr && HasInvalidSelector(spec.old->Get("affinity"));
  CheckNodeAffinity(spec.errors, path.Child("nodeAffinity"), affinity.Get("nodeAffinity"));
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    CheckPodTerms(spec.errors, path.Child(kind), affinity.Get(kind), {.allow_invalid_values = ratchet});
  }
}

void CheckReadinessGates(Scope& spec) {
  const FieldPath list = spec.At("readinessGates");
  int64_t index = 0;
  for (const Value& gate : spec.Get("readinessGates").items()) {
    const FieldPath item = list.Index(index++);
    kQualifiedName(spec.errors, item.Child("conditionType"), gate.GetString("conditionType"));
  }
}

void CheckSchedulingGates(Scope& spec) {
  const FieldPath list = spec.At("schedulingGates");
  std::set<std::string_view> seen;
  int64_t index = 0;
  for (const Value& gate : spec.Get("schedulingGates").items()) {
    const FieldPath item = list.Index(index++);
    const std::string_view name = gate.GetString("name");
    kQualifiedName(spec.errors, item, name);
    if (!seen.insert(name).second) spec.errors.Duplicate(item, name);
  }
}

void CheckTopologySpread(Scope& spec) {
  const FieldPath list = spec.At("topologySpreadConstraints");
  const Value held = spec.Get("topologySpreadConstraints");
  const std::span<Value> constraints = held.items();
  const bool any_selector = spec.old != nullptr && HasInvalidSpread(*spec.old);
  LastPlaces last;
  for (size_t i = 0; i < constraints.size(); ++i) {
    last[{constraints[i].GetString("topologyKey"), constraints[i].GetString("whenUnsatisfiable")}] = i;
  }
  for (size_t i = 0; i < constraints.size(); ++i) {
    const FieldPath item = list.Index(static_cast<int64_t>(i));
    CheckSpread(spec.errors, item, constraints[i], any_selector, i, last);
  }
}

void CheckTolerations(Scope& spec) { CheckTolerations(spec.errors, spec.At("tolerations"), spec.Get("tolerations")); }

}  // namespace resources::core
