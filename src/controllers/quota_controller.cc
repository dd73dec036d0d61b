#include "controllers/quota_controller.h"

#include <utility>

#include "base/text.h"
#include "controllers/object_facts.h"
#include "registry/json_scan.h"
#include "registry/quota_count.h"
#include "value/json_reader.h"
#include "value/member_index.h"

namespace controllers {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

// How long changes gather before what is used is counted again: what is new was counted by admission, so that only what
// did not pass it is waited for.
constexpr std::chrono::milliseconds kGather{40}, kGatherNew{2000};

bool IsIgnored(const registry::Resource& resource) {
  return resource.plural == "events" && (resource.group.empty() || resource.group == "events.k8s.io");
}

bool IsQuotas(const registry::Resource& resource) {
  return resource.group.empty() && resource.plural == "resourcequotas";
}

bool IsCounted(const registry::Resource& resource) {
  return resource.namespaced && resource.storage != nullptr && !IsIgnored(resource) && !IsQuotas(resource) &&
         resource.HasVerb("create") && resource.HasVerb("list") && resource.HasVerb("delete");
}

// Whether a write to an object that stays can change what it uses.
bool MayUseOtherwise(const registry::Resource& resource, const store::Event& event) {
  if (event.type() != store::EventType::kModified) return true;
  if (api::CountsAsOne(resource.group, resource.plural)) return false;
  const auto ended = [](const store::Cell& cell) {
    const std::string_view phase = registry::PlainText(registry::FindJson(cell.bytes(), "status.phase"));
    return phase == "Failed" || phase == "Succeeded";
  };
  if (ended(*event.previous()) != ended(event.cell())) return true;
  for (std::string_view path :
       {"spec", "status.qosClass", "status.allocatedResources", "metadata.deletionTimestamp", "metadata.annotations"}) {
    const std::string_view before = registry::FindJson(event.previous()->bytes(), path);
    if (before != registry::FindJson(event.cell().bytes(), path)) return true;
  }
  return false;
}

// What somebody else writes into a status stays there until there is something to count.
bool SpecChanged(const Reconciler::Change& change) {
  if (change.event == nullptr || change.event->type() != store::EventType::kModified) return true;
  return registry::FindJson(change.event->previous()->bytes(), "spec.hard") !=
         registry::FindJson(change.cell.bytes(), "spec.hard");
}

// An empty list is as good as none.
void SetList(const Value& object, std::string_view key, const api::ResourceList& list, Arena& arena) {
  if (list.empty()) {
    object.Remove(key);
  } else {
    object.Set(arena, key, registry::QuotaListValue(list, arena));
  }
}

}  // namespace

QuotaController::QuotaController(registry::Registry& registry, const base::Clock& clock, base::Executor& executor)
    : registry_(registry),
      clock_(clock),
      account_(registry, executor, "resourcequota-controller"),
      quotas_(registry.resources()->FindEntry("", "v1", "resourcequotas")),
      reconciler_(
          registry, clock, executor, {.watched = {quotas_}},
          [this](WorkQueue& queue, const Reconciler::Change& change) { Notice(queue, change); },
          [this](std::string_view key) { return Work(key); }),
      counted_(registry, executor,
               {.is_wanted = IsCounted,
                .added = [this](size_t number) { reconciler_.Watch(number + 1, counted_.at(number)->storage->id); },
                .removed = [this](size_t number) { reconciler_.Unwatch(number + 1); },
                .changed = {}}) {}

void QuotaController::Notice(WorkQueue& queue, const Reconciler::Change& change) const {
  const std::string_view key = change.cell.key();
  if (change.watched == 0 && SpecChanged(change)) queue.Add(key);
  if (change.event == nullptr) return;
  const store::Snapshot quotas = registry_.store().Latest(quotas_->storage->id);
  store::Scan scan = quotas.Scan(key.substr(0, key.find('/') + 1));
  const registry::Resource& resource = change.watched == 0 ? *quotas_ : *counted_.at(change.watched - 1);
  const store::Cell* quota = scan.Next();
  if (quota == nullptr || !MayUseOtherwise(resource, *change.event)) return;
  const auto gather = change.event->type() == store::EventType::kAdded ? kGatherNew : kGather;
  for (; quota != nullptr; quota = scan.Next()) {
    registry::MemberScan hard(registry::FindJson(quota->bytes(), "spec.hard"));
    std::string_view name, limit;
    bool concerned = false;
    while (!concerned && hard.Next(name, limit)) concerned = api::CountsFor(resource.group, resource.plural, name);
    if (concerned) queue.AddAfter(quota->key(), gather);
  }
}

base::Task<WorkQueue::Outcome> QuotaController::Work(std::string_view key) {
  using enum WorkQueue::Outcome;
  store::CellRef cell;
  {
    const store::Snapshot snapshot = registry_.store().Latest(quotas_->storage->id);
    cell = store::CellRef(snapshot.Get(key));
  }
  if (!cell || !cell->readable()) co_return kDone;
  Arena arena;
  const base::Result<Value> quota = value::ReadJson(cell->bytes(), arena);
  if (!quota) co_return kDone;
  const Value wanted = value::DeepCopy(arena, *quota);
  Say(wanted, arena);
  if (value::Equal(wanted.Get("status"), quota->Get("status"))) co_return kDone;
  const std::string uid(quota->Get("metadata").GetString("uid"));
  const size_t slash = key.find('/');
  const auto say = [&](const Value& object, Arena& object_arena) { Say(object, object_arena); };
  const auto written = co_await account_.Update(
      {.resource = *quotas_, .key = {key.substr(0, slash), key.substr(slash + 1)}, .subresource = "status", .uid = uid},
      say);
  co_return written || written.error().code == 404 || written.error().code == 409 ? kDone : kRetry;
}

void QuotaController::Say(const Value& quota, Arena& arena) const {
  const Value old = quota.Get("status");
  const Value status = old.is_object() ? old : Value::Object(arena, 2);
  if (!old.is_object()) quota.Set(arena, "status", status);
  SetList(status, "used", Used(quota), arena);
  SetList(status, "hard", api::ReadResourceList(quota.Get({"spec", "hard"})), arena);
}

api::ResourceList QuotaController::Used(const Value& quota) const {
  const Value hard = quota.Get({"spec", "hard"});
  const api::ResourceList before = api::ReadResourceList(quota.Get({"status", "used"}));
  api::ResourceList used;
  for (size_t number = 0; number <= counted_.size(); ++number) {
    const registry::ResourceRef& resource = number == 0 ? quotas_ : counted_.at(number - 1);
    if (resource == nullptr) continue;
    std::vector<std::string_view> names;
    for (const value::Member& limit : hard.members()) {
      if (api::CountsFor(resource->group, resource->plural, limit.key)) names.push_back(limit.key);
    }
    if (!names.empty()) registry::CountQuotaUsage(registry_.store(), *resource, quota, names, clock_.Now(), used);
  }
  const value::MemberIndex limits(hard);
  for (const auto& [name, amount] : before) {
    if (limits.Find(name) != nullptr) used.try_emplace(name, amount);
  }
  return used;
}

}  // namespace controllers
