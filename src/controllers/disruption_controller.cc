#include "controllers/disruption_controller.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "absl/container/flat_hash_set.h"
#include "api/group_version.h"
#include "api/object_selector.h"
#include "base/text.h"
#include "controllers/object_facts.h"
#include "registry/conditions.h"
#include "registry/json_scan.h"
#include "registry/strategy.h"
#include "schema/text_forms.h"
#include "value/json_reader.h"
#include "value/keep_items.h"

namespace controllers {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

constexpr std::string_view kAllowed = "DisruptionAllowed";
// How long an allowed eviction may take until its pod is seen as being deleted.
constexpr std::chrono::seconds kDeletionTimeout{120};

int64_t IntOf(const Value& v) { return v.is_int() ? v.AsInt() : 0; }

// A number, or a percentage of `total`, rounded up.
int64_t Scaled(const Value& amount, int64_t total) {
  if (!amount.is_string()) return IntOf(amount);
  const std::string_view text = amount.AsString();
  int64_t percent = 0;
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return (percent * total + 99) / 100;
}

bool IsReady(std::string_view conditions_json) {
  Arena arena;
  const base::Result<Value> conditions = value::ReadJson(conditions_json, arena);
  return conditions && registry::IsTrue(*conditions, "Ready");
}

// The owner reference that has `controller`; null: none.
Value ControllerOf(std::string_view owner_references, Arena& arena) {
  if (owner_references.empty()) return {};
  const base::Result<Value> owners = value::ReadJson(owner_references, arena);
  if (!owners) return {};
  for (const Value& owner : owners->items()) {
    const Value controls = owner.Get("controller");
    if (controls.is_bool() && controls.AsBool()) return owner;
  }
  return {};
}

// Of the kind that the object is, or an owner is said to be; nothing of what is no version.
api::GroupVersion VersionOf(const Value& object) {
  return api::GroupVersion::Parse(object.GetString("apiVersion")).value_or(api::GroupVersion{});
}

// Deployments and replica sets are asked for by the group that they once had, too.
bool IsWorkload(const Value& owner, std::string_view kind) {
  const std::string_view group = VersionOf(owner).group;
  return owner.GetString("kind") == kind && (group == "apps" || group == "extensions");
}

int64_t ReplicasOf(const store::Cell& cell) {
  const std::string_view digits = registry::FindJson(cell.bytes(), "spec.replicas");
  int64_t replicas = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), replicas);
  return replicas;
}

bool HasFailed(const Value& budget) {
  const Value* condition = registry::FindCondition(budget.Get({"status", "conditions"}), kAllowed);
  return condition != nullptr && condition->GetString("reason") == "SyncFailed" &&
         IntOf(budget.Get({"status", "disruptionsAllowed"})) == 0;
}

registry::Condition ConditionOf(int64_t allowed, int64_t generation) {
  return {.type = kAllowed,
          .status = allowed > 0 ? "True" : "False",
          .reason = allowed > 0 ? "SufficientPods" : "InsufficientPods",
          .message = {},
          .observed_generation = generation};
}

}  // namespace

// Where no pods are expected none may go: the first ones may be there before the status says so.
int64_t DisruptionController::Verdict::allowed() const {
  return expected <= 0 ? 0 : std::max<int64_t>(0, healthy - desired);
}

DisruptionController::DisruptionController(registry::Registry& registry, const base::Clock& clock,
                                           base::Executor& executor)
    : registry_(registry),
      clock_(clock),
      account_(registry, executor, "disruption-controller"),
      budgets_(registry.resources()->FindEntry("policy", "v1", "poddisruptionbudgets")),
      pods_(registry.resources()->FindEntry("", "v1", "pods")),
      replica_sets_(registry.resources()->FindEntry("apps", "v1", "replicasets")),
      deployments_(registry.resources()->FindEntry("apps", "v1", "deployments")),
      reconciler_(
          registry, clock, executor, {.watched = {budgets_, pods_}},
          [this](WorkQueue& queue, const Reconciler::Change& change) { Notice(queue, change); },
          [this](std::string_view key) { return Work(key); }) {}

void DisruptionController::Notice(WorkQueue& queue, const Reconciler::Change& change) const {
  const std::string_view key = change.cell.key();
  if (change.watched == 0) return queue.Add(key);
  // Which of them select it, or did before, is seen when they are worked on.
  const std::string_view prefix = key.substr(0, key.find('/') + 1);
  const store::Snapshot snapshot = registry_.store().Latest(budgets_->storage->id);
  store::Scan scan = snapshot.Scan(prefix);
  while (const store::Cell* budget = scan.Next()) queue.Add(budget->key());
}

store::CellRef DisruptionController::Stored(const registry::Resource* resource, std::string_view key) const {
  if (resource == nullptr || resource->storage == nullptr) return nullptr;
  const store::Snapshot snapshot = registry_.store().Latest(resource->storage->id);
  const store::Cell* cell = snapshot.Get(key);
  return store::CellRef(cell != nullptr && cell->readable() ? cell : nullptr);
}

base::Task<WorkQueue::Outcome> DisruptionController::Work(std::string_view key) {
  using enum WorkQueue::Outcome;
  const store::CellRef cell = Stored(budgets_.get(), key);
  if (!cell) co_return kDone;
  Arena arena;
  const base::Result<Value> budget = value::ReadJson(cell->bytes(), arena);
  if (!budget) co_return kDone;
  const Verdict verdict = Judge(*budget, arena);
  if (verdict.recheck) reconciler_.AddAfter(key, *verdict.recheck + std::chrono::seconds(1));
  // One failure is as good as another: two controllers in different words would contradict each other for ever.
  if (!verdict.failure.empty() && HasFailed(*budget)) co_return kDone;
  const Value wanted = value::DeepCopy(arena, *budget);
  Say(wanted, verdict, arena);
  if (value::Equal(wanted.Get("status"), budget->Get("status"))) co_return kDone;
  const std::string uid(budget->Get("metadata").GetString("uid"));
  const size_t slash = key.find('/');
  const auto say = [&](const Value& object, Arena& object_arena) {
    Say(object, Judge(object, object_arena), object_arena);
  };
  const auto written = co_await account_.Update({.resource = *budgets_,
                                                 .key = {key.substr(0, slash), key.substr(slash + 1)},
                                                 .subresource = "status",
                                                 .uid = uid},
                                                say);
  co_return written || written.error().code == 404 || written.error().code == 409 ? kDone : kRetry;
}

void DisruptionController::Say(const Value& budget, const Verdict& verdict, Arena& arena) const {
  const Value old = budget.Get("status");
  const Value status = old.is_object() ? old : Value::Object(arena, 8);
  if (!old.is_object()) budget.Set(arena, "status", status);
  const std::string now = registry::TimeText(clock_.Now());
  if (!verdict.failure.empty()) {
    status.Set(arena, "disruptionsAllowed", Value::Int(0));
    const registry::Condition failed{.type = kAllowed,
                                     .status = "False",
                                     .reason = "SyncFailed",
                                     .message = verdict.failure,
                                     .observed_generation = IntOf(status.Get("observedGeneration"))};
    return registry::SetCondition(status, failed, now, arena);
  }
  const int64_t generation = IntOf(budget.Get({"metadata", "generation"}));
  status.Set(arena, "currentHealthy", Value::Int(verdict.healthy));
  status.Set(arena, "desiredHealthy", Value::Int(verdict.desired));
  status.Set(arena, "expectedPods", Value::Int(verdict.expected));
  status.Set(arena, "disruptionsAllowed", Value::Int(verdict.allowed()));
  if (generation != 0) status.Set(arena, "observedGeneration", Value::Int(generation));
  const Value disrupted = status.Get("disruptedPods");
  const absl::flat_hash_set<std::string_view> still(verdict.disrupted.begin(), verdict.disrupted.end());
  value::KeepMembers(disrupted, [&](const value::Member& pod) { return still.contains(pod.key); });
  if (disrupted.empty()) status.Remove("disruptedPods");
  registry::SetCondition(status, ConditionOf(verdict.allowed(), generation), now, arena);
}

DisruptionController::Verdict DisruptionController::Judge(const Value& budget, Arena& arena) const {
  Verdict verdict;
  const auto pods = Pods(budget, arena);
  if (!pods) {
    verdict.failure = pods.error().message;
    return verdict;
  }
  const Value spec = budget.Get("spec");
  const Value least = spec.Get("minAvailable"), most = spec.Get("maxUnavailable");
  if (most.is_null() && least.is_int()) {
    verdict.expected = static_cast<int64_t>(pods->size());
    verdict.desired = least.AsInt();
  } else if (!most.is_null() || least.is_string()) {
    const auto scale = ExpectedScale(budget.Get("metadata").GetString("namespace"), *pods);
    if (!scale) {
      verdict.failure = scale.error();
      return verdict;
    }
    verdict.expected = *scale;
    verdict.desired = most.is_null() ? Scaled(least, *scale) : std::max<int64_t>(0, *scale - Scaled(most, *scale));
  }
  const Value disrupted = budget.Get({"status", "disruptedPods"});
  const int64_t now = std::chrono::system_clock::to_time_t(clock_.Now());
  for (const Pod& pod : *pods) {
    if (pod.deleting) continue;
    if (const auto since = schema::ParseTime(disrupted.GetString(pod.name), schema::TimeForm::kSeconds)) {
      const std::chrono::seconds left(since->seconds + kDeletionTimeout.count() - now);
      if (left.count() >= 0) {
        verdict.disrupted.push_back(pod.name);
        verdict.recheck = verdict.recheck ? std::min(*verdict.recheck, left) : left;
      }
      if (left.count() > 0) continue;
    }
    verdict.healthy += pod.ready;
  }
  return verdict;
}

api::Result<std::vector<DisruptionController::Pod>> DisruptionController::Pods(const Value& budget,
                                                                               Arena& arena) const {
  std::vector<Pod> pods;
  const auto selector = api::SelectorOf(budget.Get({"spec", "selector"}));
  if (!selector) return std::unexpected(selector.error());
  if (!selector->has_value()) return pods;
  const store::Snapshot snapshot = registry_.store().Latest(pods_->storage->id);
  store::Scan scan = snapshot.Scan(Cat(budget.Get("metadata").GetString("namespace"), "/"));
  while (const store::Cell* cell = scan.Next()) {
    if (!cell->readable() || !registry::Registry::Matches(*pods_, *cell, **selector, {})) continue;
    const ObjectFacts facts = ReadFacts(cell->bytes());
    pods.push_back({.name = std::string(cell->key().substr(cell->key().find('/') + 1)),
                    .deleting = facts.deleting,
                    .ready = IsReady(registry::FindJson(cell->bytes(), "status.conditions")),
                    .controller = value::DeepCopy(arena, ControllerOf(facts.owner_references, arena))});
  }
  return pods;
}

// Pods that nobody controls are not counted.
std::expected<int64_t, std::string> DisruptionController::ExpectedScale(std::string_view namespace_name,
                                                                        const std::vector<Pod>& pods) const {
  std::map<std::string, int64_t, std::less<>> scales;  // by the controller's uid
  for (const Pod& pod : pods) {
    if (pod.controller.is_null() || scales.contains(pod.controller.GetString("uid"))) continue;
    std::optional<Scale> scale = DeploymentOf(namespace_name, pod.controller);
    if (!scale) {
      auto own = ScaleOf(namespace_name, pod.controller);
      if (!own) return std::unexpected(std::move(own.error()));
      scale = *std::move(own);
    }
    if (!scale) return std::unexpected(Cat("found no controllers for pod \"", pod.name, "\""));
    scales[scale->uid] = scale->replicas;
  }
  int64_t sum = 0;
  for (const auto& [uid, replicas] : scales) sum += replicas;
  return sum;
}

std::optional<DisruptionController::Scale> DisruptionController::DeploymentOf(std::string_view namespace_name,
                                                                              const Value& replica_set) const {
  if (!IsWorkload(replica_set, "ReplicaSet")) return std::nullopt;
  const store::CellRef set = Stored(replica_sets_.get(), Cat(namespace_name, "/", replica_set.GetString("name")));
  if (!set) return std::nullopt;
  const ObjectFacts facts = ReadFacts(set->bytes());
  Arena arena;
  const Value owner = ControllerOf(facts.owner_references, arena);
  if (facts.uid != replica_set.GetString("uid") || !IsWorkload(owner, "Deployment")) return std::nullopt;
  const store::CellRef deployment = Stored(deployments_.get(), Cat(namespace_name, "/", owner.GetString("name")));
  if (!deployment || ReadFacts(deployment->bytes()).uid != owner.GetString("uid")) return std::nullopt;
  return Scale{.uid = std::string(owner.GetString("uid")), .replicas = ReplicasOf(*deployment)};
}

std::expected<std::optional<DisruptionController::Scale>, std::string> DisruptionController::ScaleOf(
    std::string_view namespace_name, const Value& controller) const {
  const std::string_view api_version = controller.GetString("apiVersion"), kind = controller.GetString("kind");
  const auto [group, version] = VersionOf(controller);
  const registry::ResourceTableRef resources = registry_.resources();
  const auto all = resources->All();
  const auto found = std::ranges::find_if(all, [&](const registry::Resource* resource) {
    return resource->group == group && resource->version == version && resource->kind == kind &&
           resource->storage != nullptr;
  });
  if (found == all.end()) {
    return std::unexpected(Cat("no matches for kind \"", kind, "\" in version \"", api_version, "\""));
  }
  const registry::Resource& resource = **found;
  const auto is_scale = [](const registry::Subresource& subresource) { return subresource.name == "scale"; };
  if (std::ranges::none_of(resource.subresources, is_scale)) {
    return std::unexpected(
        Cat(resource.plural, group.empty() ? "" : ".", group, " does not implement the scale subresource"));
  }
  const store::CellRef cell = Stored(&resource, Cat(namespace_name, "/", controller.GetString("name")));
  if (!cell || ReadFacts(cell->bytes()).uid != controller.GetString("uid")) return std::nullopt;
  return Scale{.uid = std::string(controller.GetString("uid")), .replicas = ReplicasOf(*cell)};
}

}  // namespace controllers
