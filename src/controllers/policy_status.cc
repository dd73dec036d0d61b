#include "controllers/policy_status.h"

#include <algorithm>

#include "base/text.h"
#include "registry/object_meta.h"
#include "registry/strategy.h"
#include "value/json_reader.h"

namespace controllers {
namespace {

using value::Arena;
using value::Value;

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr std::string_view kFieldManager = "validatingadmissionpolicy-status";

int64_t ObservedGeneration(const Value& policy) {
  const Value observed = policy.Get("status").Get("observedGeneration");
  return observed.is_int() ? observed.AsInt() : 0;
}

Value Configuration(const Value& policy, Arena& arena) {
  const registry::ObjectMeta meta(policy);
  const Value metadata = Value::Object(arena, 1), status = Value::Object(arena, 2), wanted = Value::Object(arena, 4);
  metadata.Add(arena, "name", Value::Copy(arena, meta.name()));
  status.Add(arena, "observedGeneration", Value::Int(meta.generation()));
  status.Add(arena, "typeChecking", Value::Object(arena));
  wanted.Add(arena, "apiVersion", policy.Get("apiVersion"));
  wanted.Add(arena, "kind", policy.Get("kind"));
  wanted.Add(arena, "metadata", metadata);
  wanted.Add(arena, "status", status);
  return wanted;
}

// Where one of them is a wildcard, none of a rule's groups or versions is looked at.
bool NamesAll(const Value& words) {
  return std::ranges::none_of(words.items(), [](const Value& word) { return word.AsString().contains('*'); });
}

}  // namespace

PolicyStatus::PolicyStatus(registry::Registry& registry, const base::Clock& clock, base::Executor& executor)
    : registry_(registry),
      clock_(clock),
      account_(registry, executor, "validatingadmissionpolicy-status-controller"),
      policies_(registry.resources()->FindEntry(kGroup, "v1", "validatingadmissionpolicies")),
      reconciler_(
          registry, clock, executor, {.watched = {policies_}},
          [](WorkQueue& queue, const Reconciler::Change& change) { queue.Add(change.cell.key()); },
          [this](std::string_view name) { return Work(name); }) {}

bool PolicyStatus::FindsType(const Value& rule) const {
  const Value groups = rule.Get("apiGroups"), versions = rule.Get("apiVersions"), names = rule.Get("resources");
  if (!NamesAll(groups) || !NamesAll(versions)) return false;
  const auto is_one_of = [](const Value& words, std::string_view word) {
    return std::ranges::any_of(words.items(), [&](const Value& item) { return item.AsString() == word; });
  };
  // The group without a name stands for any.
  const bool any_group = is_one_of(groups, "");
  const registry::ResourceTableRef resources = registry_.resources();
  return std::ranges::any_of(resources->All(), [&](const registry::Resource* resource) {
    if (!any_group && !is_one_of(groups, resource->group)) return false;
    if (!is_one_of(versions, resource->version)) return false;
    return std::ranges::any_of(names.items(), [&](const Value& item) {
      const std::string name = base::ToLower(item.AsString());
      return name == resource->plural || name == resource->singular;
    });
  });
}

bool PolicyStatus::NeedsExpressions(const Value& policy) const {
  if (policy.Get({"spec", "validations"}).empty()) return false;
  const Value rules = policy.Get({"spec", "matchConstraints"}).Get("resourceRules");
  return std::ranges::any_of(rules.items(), [&](const Value& rule) { return FindsType(rule); });
}

base::Task<WorkQueue::Outcome> PolicyStatus::Work(std::string_view name) {
  using enum WorkQueue::Outcome;
  store::CellRef cell;
  {
    const store::Snapshot snapshot = registry_.store().Latest(policies_->storage->id);
    cell = store::CellRef(snapshot.Get(name));
  }
  if (!cell || !cell->readable()) co_return kDone;
  Arena arena;
  const base::Result<Value> policy = value::ReadJson(cell->bytes(), arena);
  if (!policy) co_return kDone;
  const registry::ObjectMeta meta(*policy);
  if (meta.generation() <= ObservedGeneration(*policy) || NeedsExpressions(*policy)) co_return kDone;
  const auto written = co_await account_.Apply({.resource = *policies_,
                                                .key = {"", name},
                                                .subresource = "status",
                                                .uid = meta.uid(),
                                                .field_manager = kFieldManager},
                                               Configuration(*policy, arena), registry::TimeText(clock_.Now()));
  co_return written || written.error().code == 404 || written.error().code == 409 ? kDone : kRetry;
}

}  // namespace controllers
