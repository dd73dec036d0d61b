#include "controllers/flow_schema_conditions.h"

#include "base/text.h"
#include "controllers/applied_fields.h"
#include "registry/json_scan.h"
#include "registry/strategy.h"
#include "value/json_reader.h"
#include "value/quote.h"

namespace controllers {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

constexpr std::string_view kGroup = "flowcontrol.apiserver.k8s.io";
constexpr std::string_view kFieldManager = "api-priority-and-fairness-config-consumer-v1";
constexpr std::string_view kFields =
    R"({"f:status":{"f:conditions":{"k:{\"type\":\"Dangling\"}":{".":{},"f:lastTransitionTime":{},)"
    R"("f:message":{},"f:reason":{},"f:status":{},"f:type":{}}}}})";

}  // namespace

FlowSchemaConditions::FlowSchemaConditions(registry::Registry& registry, const base::Clock& clock,
                                           base::Executor& executor)
    : registry_(registry),
      clock_(clock),
      account_(registry, executor, "flow-schema-conditions"),
      schemas_(registry.resources()->FindEntry(kGroup, "v1", "flowschemas")),
      levels_(registry.resources()->FindEntry(kGroup, "v1", "prioritylevelconfigurations")),
      reconciler_(
          registry, clock, executor, {.watched = {schemas_, levels_}},
          [this](WorkQueue& queue, const Reconciler::Change& change) { Notice(queue, change); },
          [this](std::string_view name) { return Work(name); }) {}

void FlowSchemaConditions::Notice(WorkQueue& queue, const Reconciler::Change& change) const {
  if (change.watched == 0) return queue.Add(change.cell.key());
  if (change.event->type() == store::EventType::kModified) return;
  const store::Snapshot snapshot = registry_.store().Latest(schemas_->storage->id);
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) queue.Add(cell->key());
}

registry::Condition FlowSchemaConditions::Dangling(const Value& schema) const {
  const std::string_view level = schema.Get({"spec", "priorityLevelConfiguration"}).GetString("name");
  const store::Snapshot snapshot = registry_.store().Latest(levels_->storage->id);
  const bool found = snapshot.Get(level) != nullptr;
  return {.type = "Dangling",
          .status = found ? "False" : "True",
          .reason = found ? "Found" : "NotFound",
          .message = Cat("This FlowSchema references the PriorityLevelConfiguration object named ", value::Quote(level),
                         found ? " and it exists" : " but there is no such object")};
}

base::Task<WorkQueue::Outcome> FlowSchemaConditions::Work(std::string_view name) {
  using enum WorkQueue::Outcome;
  store::CellRef cell;
  {
    const store::Snapshot snapshot = registry_.store().Latest(schemas_->storage->id);
    cell = store::CellRef(snapshot.Get(name));
  }
  if (!cell || !cell->readable()) co_return kDone;
  Arena arena;
  const base::Result<Value> schema = value::ReadJson(cell->bytes(), arena);
  if (!schema || registry::HasCondition(schema->Get({"status", "conditions"}), Dangling(*schema))) co_return kDone;
  const std::string uid(schema->Get("metadata").GetString("uid"));
  const auto say = [&](const Value& object, Arena& object_arena) {
    Value status = object.Get("status");
    if (!status.is_object()) {
      status = Value::Object(object_arena, 1);
      object.Set(object_arena, "status", status);
    }
    registry::SetCondition(status, Dangling(object), registry::TimeText(clock_.Now()), object_arena);
    const AppliedFields applied{
        .manager = kFieldManager, .subresource = "status", .api_version = schemas_->group_version(), .fields = kFields};
    RecordApplied(object, applied, clock_.Now(), object_arena);
  };
  const auto written = co_await account_.Update(
      {.resource = *schemas_, .key = {"", name}, .subresource = "status", .uid = uid, .field_manager = std::nullopt},
      say);
  co_return written || written.error().code == 404 || written.error().code == 409 ? kDone : kRetry;
}

}  // namespace controllers
