#include "controllers/definition_finalizer.h"

#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "controllers/object_facts.h"
#include "registry/json_scan.h"
#include "registry/object_meta.h"
#include "registry/strategy.h"
#include "store/snapshot.h"
#include "value/json_reader.h"

namespace controllers {
namespace {

using value::Arena;
using value::Value;

constexpr std::string_view kManager = "kube-apiserver";

// Objects that others hold are looked at again after this long at most.
constexpr std::chrono::milliseconds kLongestDelay(1000);

bool IsRefusedNames(const store::Cell& cell) {
  const std::string_view status = registry::FindJson(cell.bytes(), "status");
  Arena arena;
  const base::Result<Value> tree = value::ReadJson(status, arena);
  if (!tree) return false;
  const Value definition = Value::Object(arena, 1);
  definition.Add(arena, "status", *tree);
  return customresources::ConditionStatus(definition, "NamesAccepted") == "False";
}

std::string_view GroupOf(std::string_view name) {
  const size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

}  // namespace

DefinitionFinalizer::DefinitionFinalizer(registry::Registry& registry, const base::Clock& clock,
                                         base::Executor& executor)
    : registry_(registry),
      clock_(clock),
      account_(registry, executor, "customresourcedefinition-controller"),
      definitions_(registry.resources()->FindEntry("apiextensions.k8s.io", "v1", "customresourcedefinitions")),
      reconciler_(
          registry, clock, executor,
          {.watched = {definitions_}, .queue = {.concurrency = 8, .longest_delay = kLongestDelay}},
          [this](WorkQueue& queue, const Reconciler::Change& change) { Notice(queue, change); },
          [this](std::string_view name) { return Work(name); }) {}

void DefinitionFinalizer::Start() {
  if (definitions_ != nullptr) reconciler_.Start();
}

void DefinitionFinalizer::Stop(absl::AnyInvocable<void()> stopped) { reconciler_.Stop(std::move(stopped)); }

void DefinitionFinalizer::Notice(WorkQueue& queue, const Reconciler::Change& change) const {
  const bool gone = change.event != nullptr && change.event->type() == store::EventType::kDeleted;
  if (!gone && ReadFacts(change.cell.bytes()).deleting) queue.Add(change.cell.key());
  const bool created = !gone && change.cell.created() == change.cell.modified();
  if (change.event == nullptr || created) return;
  // Names may have come free.
  const store::Snapshot snapshot = registry_.store().Latest(definitions_->storage->id);
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) {
    if (GroupOf(cell->key()) == GroupOf(change.cell.key()) && IsRefusedNames(*cell)) queue.Add(cell->key());
  }
}

base::Task<api::Result<>> DefinitionFinalizer::SetCondition(std::string_view name, std::string_view uid,
                                                            const customresources::Condition& condition) const {
  const std::string now = registry::TimeText(clock_.Now());
  const auto change = [&](const Value& object, Arena& arena) {
    const Value former = object.Get("status");
    const Value status = former.is_object() ? value::DeepCopy(arena, former) : Value::Object(arena, 1);
    customresources::SetCondition(arena, status, condition, arena.CopyString(now));
    object.Set(arena, "status", status);
  };
  co_return co_await account_.Update(
      {.resource = *definitions_, .key = {"", name}, .subresource = "status", .uid = uid, .field_manager = kManager},
      change);
}

base::Task<bool> DefinitionFinalizer::DeleteObjects(const registry::Resource& resource) const {
  std::set<std::string> namespaces;
  {
    const store::Snapshot snapshot = registry_.store().Latest(resource.storage->id);
    store::Scan scan = snapshot.Scan();
    while (const store::Cell* cell = scan.Next()) {
      namespaces.emplace(resource.namespaced ? cell->key().substr(0, cell->key().find('/')) : std::string_view());
    }
  }
  for (const std::string& name : namespaces) {
    registry::DeleteOptions options;
    options.bypass_admission = true;
    const auto deleted = co_await account_.DeleteCollection(resource, name, std::move(options));
    if (!deleted) co_return false;
  }
  co_return registry_.store().Latest(resource.storage->id).Count() == 0;
}

base::Task<WorkQueue::Outcome> DefinitionFinalizer::Work(std::string_view name) {
  using enum WorkQueue::Outcome;
  Arena arena;
  store::CellRef cell;
  {
    const store::Snapshot snapshot = registry_.store().Latest(definitions_->storage->id);
    cell = store::CellRef(snapshot.Get(name));
  }
  if (!cell || !cell->readable()) co_return kDone;
  const base::Result<Value> definition = value::ReadJson(cell->bytes(), arena);
  if (!definition) co_return kDone;
  const registry::ObjectMeta meta(*definition);
  const auto outcome = [](const api::Result<>& done) {
    return done || done.error().code == 404 || done.error().code == 409 ? kDone : kRetry;
  };
  if (!meta.deleting()) {
    // The write gives it what names there are now.
    co_return outcome(co_await account_.Update({.resource = *definitions_,
                                                .key = {"", name},
                                                .subresource = "status",
                                                .uid = meta.uid(),
                                                .field_manager = kManager},
                                               [](const Value&, Arena&) {}));
  }
  if (!meta.HasFinalizer(customresources::kCleanupFinalizer)) co_return kDone;
  const auto begun = co_await SetCondition(name, meta.uid(), customresources::TerminatingInProgress());
  if (!begun) co_return outcome(begun);
  customresources::Condition ended = customresources::TerminatingNeverEstablished();
  if (customresources::ConditionStatus(*definition, "Established") == "True") {
    const Value spec = definition->Get("spec");
    registry::ResourceRef resource;
    const registry::ResourceTableRef table = registry_.resources();
    for (const Value& version : spec.Get("versions").items()) {
      const auto found = table->FindEntry(spec.GetString("group"), version.GetString("name"),
                                          definition->Get({"status", "acceptedNames"}).GetString("plural"));
      if (found != nullptr && (resource == nullptr || found->version == found->storage->version)) resource = found;
    }
    if (resource != nullptr && resource->custom && !co_await DeleteObjects(*resource)) co_return kRetry;
    ended = customresources::TerminatingCompleted();
  }
  const auto told = co_await SetCondition(name, meta.uid(), ended);
  if (!told) co_return outcome(told);
  const auto remove = [](const Value& object, Arena& into) {
    registry::ObjectMeta changed(object, into);
    const Value kept = Value::Array(into, changed.finalizers().size());
    for (const Value& finalizer : changed.finalizers().items()) {
      if (finalizer.AsString() != customresources::kCleanupFinalizer) kept.Append(into, finalizer);
    }
    changed.Set("finalizers", kept);
  };
  co_return outcome(co_await account_.Update(
      {.resource = *definitions_, .key = {"", name}, .subresource = "", .uid = meta.uid(), .field_manager = kManager},
      remove));
}

}  // namespace controllers
