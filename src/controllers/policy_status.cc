#include "controllers/policy_status.h"

#include <utility>

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

}  // namespace

Value PolicyStatus::Configuration(const Value& policy, Arena& arena) const {
  const registry::ObjectMeta meta(policy);
  const Value metadata = Value::Object(arena, 1), status = Value::Object(arena, 2), wanted = Value::Object(arena, 4);
  metadata.Add(arena, "name", Value::Copy(arena, meta.name()));
  const Value checking = Value::Object(arena, 1), warnings = Value::Array(arena);
  for (const PolicyWarning& found : check_(policy, *registry_.resources())) {
    const Value warning = Value::Object(arena, 2);
    warning.Add(arena, "fieldRef", Value::Copy(arena, found.field));
    warning.Add(arena, "warning", Value::Copy(arena, found.warning));
    warnings.Append(arena, warning);
  }
  if (!warnings.empty()) checking.Add(arena, "expressionWarnings", warnings);
  status.Add(arena, "observedGeneration", Value::Int(meta.generation()));
  status.Add(arena, "typeChecking", checking);
  wanted.Add(arena, "apiVersion", policy.Get("apiVersion"));
  wanted.Add(arena, "kind", policy.Get("kind"));
  wanted.Add(arena, "metadata", metadata);
  wanted.Add(arena, "status", status);
  return wanted;
}

PolicyStatus::PolicyStatus(registry::Registry& registry, const base::Clock& clock, base::Executor& executor,
                           PolicyTypeCheck check)
    : registry_(registry),
      clock_(clock),
      check_(std::move(check)),
      account_(registry, executor, "validatingadmissionpolicy-status-controller"),
      policies_(registry.resources()->FindEntry(kGroup, "v1", "validatingadmissionpolicies")),
      reconciler_(
          registry, clock, executor, {.watched = {policies_}},
          [](WorkQueue& queue, const Reconciler::Change& change) { queue.Add(change.cell.key()); },
          [this](std::string_view name) { return Work(name); }) {}

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
  if (meta.generation() <= ObservedGeneration(*policy)) co_return kDone;
  const auto written = co_await account_.Apply({.resource = *policies_,
                                                .key = {"", name},
                                                .subresource = "status",
                                                .uid = meta.uid(),
                                                .field_manager = kFieldManager},
                                               Configuration(*policy, arena), registry::TimeText(clock_.Now()));
  co_return written || written.error().code == 404 || written.error().code == 409 ? kDone : kRetry;
}

}  // namespace controllers
