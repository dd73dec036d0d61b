#include "controllers/role_aggregator.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "api/object_selector.h"
#include "controllers/applied_fields.h"
#include "registry/json_scan.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace controllers {
namespace {

using value::Arena;
using value::Value;

constexpr std::string_view kFieldManager = "clusterrole-aggregation-controller";
constexpr std::string_view kFields = R"({"f:rules":{}})";

bool Aggregates(const store::Cell& cell) {
  return registry::FindJson(cell.bytes(), "aggregationRule").starts_with('{');
}

}  // namespace

RoleAggregator::RoleAggregator(registry::Registry& registry, const base::Clock& clock, base::Executor& executor)
    : registry_(registry),
      clock_(clock),
      account_(registry, executor, "clusterrole-aggregation-controller"),
      roles_(registry.resources()->FindEntry("rbac.authorization.k8s.io", "v1", "clusterroles")),
      reconciler_(
          registry, clock, executor, {.watched = {roles_}},
          [this](WorkQueue& queue, const Reconciler::Change& change) { Notice(queue, change); },
          [this](std::string_view name) { return Work(name); }) {}

// Who takes whom is not known: all that aggregate look again.
void RoleAggregator::Notice(WorkQueue& queue, const Reconciler::Change& change) const {
  if (change.event == nullptr) {
    if (Aggregates(change.cell)) queue.Add(change.cell.key());
    return;
  }
  const store::Snapshot snapshot = registry_.store().Latest(roles_->storage->id);
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) {
    if (Aggregates(*cell)) queue.Add(cell->key());
  }
}

base::Task<WorkQueue::Outcome> RoleAggregator::Work(std::string_view name) {
  using enum WorkQueue::Outcome;
  store::CellRef cell;
  {
    const store::Snapshot snapshot = registry_.store().Latest(roles_->storage->id);
    cell = store::CellRef(snapshot.Get(name));
  }
  if (!cell || !cell->readable() || !Aggregates(*cell)) co_return kDone;
  Arena arena;
  const base::Result<Value> role = value::ReadJson(cell->bytes(), arena);
  if (!role) co_return kDone;
  const AppliedFields applied{
      .manager = kFieldManager, .subresource = {}, .api_version = roles_->group_version(), .fields = kFields};
  const Value rules = RulesOf(*role, arena);
  if (rules.is_null() || value::Equal(rules, role->Get("rules"))) co_return kDone;
  // Where none are found the role keeps rules that came from elsewhere.
  if (rules.empty() && !ReleaseApplied(value::DeepCopy(arena, *role), applied)) co_return kDone;
  const std::string uid(role->Get("metadata").GetString("uid"));
  const auto aggregate = [&](const Value& object, Arena& object_arena) {
    const Value wanted = RulesOf(object, object_arena);
    if (wanted.is_null()) return;
    if (wanted.empty()) {
      ReleaseApplied(object, applied);
      return;
    }
    object.Set(object_arena, "rules", wanted);
    RecordApplied(object, applied, clock_.Now(), object_arena);
  };
  const auto written = co_await account_.Update(
      {.resource = *roles_, .key = {"", name}, .subresource = "", .uid = uid, .field_manager = std::nullopt},
      aggregate);
  co_return written || written.error().code == 404 || written.error().code == 409 ? kDone : kRetry;
}

Value RoleAggregator::RulesOf(const Value& role, Arena& arena) const {
  const Value rules = Value::Array(arena);
  absl::flat_hash_set<std::string> seen;  // rules of stored roles: the same are the same text
  const std::string_view own = role.Get("metadata").GetString("name");
  const store::Snapshot snapshot = registry_.store().Latest(roles_->storage->id);
  for (const Value& selector : role.Get({"aggregationRule", "clusterRoleSelectors"}).items()) {
    const auto labels = api::SelectorOf(selector);
    if (!labels) return {};
    if (!labels->has_value()) continue;
    store::Scan scan = snapshot.Scan();
    while (const store::Cell* cell = scan.Next()) {
      if (cell->key() == own || !cell->readable()) continue;
      if (!registry::Registry::Matches(*roles_, *cell, **labels, {})) continue;
      const auto found = value::ReadJson(registry::FindJson(cell->bytes(), "rules"), arena);
      if (!found) continue;
      for (const Value& rule : found->items()) {
        if (seen.insert(value::ToJson(rule)).second) rules.Append(arena, value::DeepCopy(arena, rule));
      }
    }
  }
  return rules;
}

}  // namespace controllers
