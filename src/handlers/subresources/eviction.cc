// Evictions: deletions of pods that ask the pod's disruption budget first. Posted to the pod; nothing is stored of them
// but what the budget has been used for.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/object_selector.h"
#include "base/text.h"
#include "handlers/subresources/subresources.h"
#include "handlers/subresources/virtual_resource.h"
#include "handlers/views.h"
#include "registry/conditions.h"
#include "registry/errors.h"
#include "registry/stored_form.h"
#include "value/json_reader.h"

namespace handlers {

namespace {

using base::Cat;
using registry::Preconditions;
using value::Arena;
using value::Value;
using Type = api::FieldError::Type;

// So many evictions may be allowed and not yet seen by who keeps the budget's status.
constexpr uint32_t kMostDisrupted = 2000;
// How often an eviction starts over where another write of the pod came between.
constexpr int kAttempts = 20;
constexpr std::string_view kForce = "ignoreStoreReadErrorWithClusterBreakingPotential";

int64_t IntOf(const Value& v) { return v.is_int() ? v.AsInt() : 0; }

// One eviction: what was asked for.
struct Eviction {
  const Scope& scope;
  const registry::Resource& pods;
  bool dry_run = false;
  Preconditions preconditions;
  // As the body has them. What is wrong with them is told when the pod would be deleted, and not before.
  api::Result<registry::DeleteOptions> options;
};

// Which dry run is asked for: the query's, or the body's; both only if they are the same.
api::Result<bool> DryRunOf(const api::Query& query, const Value& options) {
  std::vector<std::string> asked, said;
  for (const std::string_view word : query.All("dryRun")) asked.emplace_back(word);
  for (const Value& item : options.Get("dryRun").items()) said.emplace_back(item.AsString());
  if (!asked.empty() && !said.empty() && asked != said) {
    return api::Fail(api::Generic(500, Cat("Non-matching dry-run options in request and content: [",
                                           base::Join(asked, " "), "] and [", base::Join(said, " "), "]")));
  }
  return !asked.empty() || !said.empty();
}

// Its options as they are sent: an empty precondition is one, too.
api::Result<Eviction> ReadEviction(const Scope& scope, const registry::Resource& pods, const Value& body) {
  if (body.Get("metadata").GetString("name") != scope.name) {
    return api::Fail(api::BadRequest("name in URL does not match name in Eviction object"));
  }
  const Value options = body.Get("deleteOptions");
  if (const Value force = options.Get(kForce); force.is_bool() && force.AsBool()) {
    const api::FieldErrors errors{{Type::kInvalid, Cat("deleteOptions.", kForce), "true",
                                   "can not be set for pod eviction, try after removing the option"}};
    return api::Fail(api::Invalid({"policy", "Eviction"}, scope.name, errors));
  }
  auto dry_run = DryRunOf(scope.query(), options);
  if (!dry_run) return std::unexpected(std::move(dry_run.error()));
  Eviction eviction{.scope = scope,
                    .pods = pods,
                    .dry_run = *dry_run,
                    .preconditions = {},
                    .options = ReadDeleteOptions(options, /*unsafe_deletion=*/false)};
  const Value preconditions = options.Get("preconditions");
  if (const Value* uid = preconditions.Find("uid")) eviction.preconditions.uid = uid->AsString();
  if (const Value* version = preconditions.Find("resourceVersion")) {
    eviction.preconditions.resource_version = version->AsString();
  }
  return eviction;
}

// A pod that is over, or has not begun, disrupts nothing when it goes.
bool NeedsNoBudget(const Value& pod) {
  const std::string_view phase = pod.Get("status").GetString("phase");
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         !pod.Get("metadata").GetString("deletionTimestamp").empty();
}

bool IsPending(const Value& pod) {
  return pod.Get("status").GetString("phase") == "Pending" &&
         pod.Get("metadata").GetString("deletionTimestamp").empty();
}

api::Error StillProcessed(std::string_view budget) {
  api::Error error =
      api::TooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", /*retry_after=*/10);
  error.details.causes.push_back(
      {"DisruptionBudget", Cat("The disruption budget ", budget, " is still being processed by the server."), ""});
  return error;
}

// Why the budget allows no disruption now.
api::Result<> CheckBudget(const Value& budget) {
  const std::string_view name = budget.Get("metadata").GetString("name");
  const Value status = budget.Get("status");
  const auto forbid = [&](std::string_view why) {
    return api::Fail(api::Forbidden(std::string(why), {"policy", "poddisruptionbudget"}, name));
  };
  if (IntOf(status.Get("observedGeneration")) < IntOf(budget.Get({"metadata", "generation"}))) {
    return api::Fail(StillProcessed(name));
  }
  const int64_t allowed = IntOf(status.Get("disruptionsAllowed"));
  if (allowed < 0) return forbid("pdb disruptions allowed is negative");
  if (status.Get("disruptedPods").size() > kMostDisrupted) {
    return forbid("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (allowed > 0) return {};
  api::Error error = api::TooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0);
  error.details.causes.push_back({"DisruptionBudget",
                                  Cat("The disruption budget ", name, " needs ", IntOf(status.Get("desiredHealthy")),
                                      " healthy pods and has ", IntOf(status.Get("currentHealthy")), " currently"),
                                  ""});
  return api::Fail(std::move(error));
}

// The budget with one disruption less, and the pod among those that are disrupted.
Value Spend(const Value& current, std::string_view pod, std::string_view now, Arena& arena) {
  Value budget = DeepCopy(arena, current);
  const Value status = budget.Get("status");
  const int64_t left = IntOf(status.Get("disruptionsAllowed")) - 1;
  status.Set(arena, "disruptionsAllowed", Value::Int(left));
  if (left == 0) {
    registry::SetCondition(status,
                           {.type = "DisruptionAllowed",
                            .status = "False",
                            .reason = "InsufficientPods",
                            .message = {},
                            .observed_generation = IntOf(status.Get("observedGeneration"))},
                           now, arena);
  }
  if (status.Find("disruptedPods") == nullptr) status.Set(arena, "disruptedPods", Value::Object(arena, 1));
  status.Get("disruptedPods").Set(arena, arena.CopyString(pod), Value::Copy(arena, now));
  return budget;
}

// The budgets of the namespace that select the pod. A selector that is malformed selects nothing.
std::vector<store::CellRef> BudgetsOf(const Eviction& eviction, const registry::Resource& budgets,
                                      const store::Cell& pod) {
  std::vector<store::CellRef> found;
  const store::Snapshot snapshot = eviction.scope.services.registry.store().Latest(budgets.storage->id);
  store::Scan scan = snapshot.Scan(Cat(eviction.scope.namespace_name, "/"));
  while (const store::Cell* cell = scan.Next()) {
    Arena arena;
    const base::Result<Value> budget = value::ReadJson(cell->bytes(), arena);
    if (!cell->readable() || !budget) continue;
    const auto selector = api::SelectorOf(budget->Get({"spec", "selector"}));
    if (!selector || !selector->has_value()) continue;
    if (registry::Registry::Matches(eviction.pods, pod, **selector, {})) found.emplace_back(cell);
  }
  return found;
}

// What the one budget of a pod says.
struct Permission {
  std::string budget;  // "" where there is none
  // It covers healthy pods, and this is none: nothing was taken from it. The pod must not have become healthy since.
  bool only_unhealthy = false;
};

api::RequestContext OwnContext(const api::RequestContext& of, registry::Key budget) {
  api::RequestContext own{.info = {.is_resource_request = true,
                                   .path = {},
                                   .verb = "update",
                                   .api_prefix = "apis",
                                   .group = "policy",
                                   .version = "v1",
                                   .namespace_name = std::string(budget.namespace_name),
                                   .resource = "poddisruptionbudgets",
                                   .subresource = "status",
                                   .name = std::string(budget.name),
                                   .parts = {}},
                          .query = {},
                          .user = {.name = "system:apiserver", .uid = {}, .groups = {"system:masters"}, .extra = {}},
                          .audit_id = of.audit_id,
                          .deadline = of.deadline,
                          .warnings = {},
                          .response_headers = {}};
  return own;
}

// `pod` decoded from `cell`.
base::Task<api::Result<Permission>> AskBudget(const Eviction& eviction, const store::Cell& cell, const Value& pod) {
  const Scope& scope = eviction.scope;
  const registry::Resource* resource = scope.resources.Find("policy", "v1", "poddisruptionbudgets");
  if (resource == nullptr) co_return api::Fail(api::UnknownResource("get", {"policy", "poddisruptionbudgets"}, ""));
  const std::vector<store::CellRef> cells = BudgetsOf(eviction, *resource, cell);
  if (cells.empty()) co_return Permission{};
  if (cells.size() > 1) {
    co_return api::Fail(api::Generic(
        500, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."));
  }
  Arena arena;
  auto budget = registry::DecodeStored(*resource, *cells.front(), arena);
  if (!budget) co_return std::unexpected(std::move(budget.error()));
  const std::string name(budget->Get("metadata").GetString("name"));
  if (!registry::IsTrue(pod.Get({"status", "conditions"}), "Ready")) {
    const Value status = budget->Get("status");
    const int64_t desired = IntOf(status.Get("desiredHealthy"));
    const bool is_healthy = desired > 0 && IntOf(status.Get("currentHealthy")) >= desired;
    if (is_healthy || budget->Get("spec").GetString("unhealthyPodEvictionPolicy") == "AlwaysAllow") {
      co_return Permission{.budget = name, .only_unhealthy = true};
    }
  }
  if (eviction.dry_run) {
    auto allowed = CheckBudget(*budget);
    if (!allowed) co_return std::unexpected(std::move(allowed.error()));
    co_return Permission{.budget = name};
  }
  const std::string now = NowText(scope.services.clock);
  // The server's own write, not the client's.
  api::RequestContext own = OwnContext(scope.context(), {scope.namespace_name, name});
  registry::Call call{own, scope.exchange.executor(), own.warnings, scope.resources};
  registry::Registry::Update update{
      .key = {scope.namespace_name, name},
      .subresource = "status",
      .transform = [&](const Value* current, const Value&, Arena& into) -> api::Result<Value> {
        auto allowed = CheckBudget(*current);
        if (!allowed) return std::unexpected(std::move(allowed.error()));
        return Spend(*current, scope.name, now, into);
      },
      .field_manager = "kube-apiserver"};
  auto written = co_await scope.services.registry.UpdateObject(call, *resource, std::move(update));
  if (!written) co_return std::unexpected(std::move(written.error()));
  co_return Permission{.budget = name};
}

// Why the pod is not the one that is meant. An empty precondition is met by any pod here, if not by the deletion.
api::Result<> CheckPod(const Preconditions& wanted, const Value& pod) {
  const Value metadata = pod.Get("metadata");
  const auto check = [&](const std::optional<std::string>& want, std::string_view field, std::string_view found,
                         std::string_view maybe) -> api::Result<> {
    if (!want || want->empty() || *want == found) return {};
    return api::Fail(registry::OtherThanMeant({"", "Pod"}, metadata.GetString("name"), field, *want, found, maybe));
  };
  auto met = check(wanted.uid, "UID", metadata.GetString("uid"), "deleted and then recreated");
  if (!met) return met;
  return check(wanted.resource_version, "ResourceVersion", metadata.GetString("resourceVersion"), "modified");
}

// Says on the pod why it goes, and deletes it.
base::Task<api::Result<>> DeletePod(const Eviction& eviction, Preconditions preconditions) {
  const Scope& scope = eviction.scope;
  registry::Registry& registry = scope.services.registry;
  registry::Call call = scope.call();
  if (!eviction.dry_run) {
    const std::string now = NowText(scope.services.clock);
    const auto mark = [&](const Value* current, const Value&, Arena& arena) -> api::Result<Value> {
      if (auto meant = CheckPod(preconditions, *current); !meant) return std::unexpected(std::move(meant.error()));
      Value pod = DeepCopy(arena, *current);
      registry::SetPodCondition(pod.Get("status"),
                                {.type = "DisruptionTarget",
                                 .status = "True",
                                 .reason = "EvictionByEvictionAPI",
                                 .message = "Eviction API: evicting"},
                                now, arena);
      return pod;
    };
    auto marked = co_await registry.UpdateObject(call, eviction.pods,
                                                 {.key = scope.key(),
                                                  .subresource = "status",
                                                  .transform = mark,
                                                  .preconditions = {},
                                                  .bypass_admission = true});
    if (!marked) co_return std::unexpected(std::move(marked.error()));
    // This write is none that the precondition means.
    if (preconditions.resource_version && marked->cell != nullptr) {
      preconditions.resource_version = Cat(marked->cell->modified().value());
    }
  }
  if (!eviction.options) co_return std::unexpected(eviction.options.error());
  registry::DeleteOptions options = *eviction.options;
  options.preconditions = std::move(preconditions);
  options.dry_run = eviction.dry_run;
  options.bypass_admission = true;
  auto deleted = co_await registry.DeleteObject(call, eviction.pods, scope.key(), std::move(options));
  if (!deleted) co_return std::unexpected(std::move(deleted.error()));
  co_return api::Result<>();
}

// One attempt: whether it is done. Where another write of a pod that needs no budget came between it is not, as long as
// it may be tried again.
base::Task<api::Result<bool>> Evict(const Eviction& eviction, bool may_retry) {
  const Scope& scope = eviction.scope;
  registry::Call call = scope.call();
  auto cell = co_await scope.services.registry.Get(call, eviction.pods, scope.key(), {});
  if (!cell) co_return std::unexpected(std::move(cell.error()));
  Arena arena;
  auto pod = registry::DecodeStored(eviction.pods, **cell, arena);
  if (!pod) co_return std::unexpected(std::move(pod.error()));
  const bool needs_budget = !NeedsNoBudget(*pod);
  Permission permission;
  if (needs_budget) {
    auto asked = co_await AskBudget(eviction, **cell, *pod);
    if (!asked) co_return std::unexpected(std::move(asked.error()));
    permission = *std::move(asked);
  }
  // A pod that would be counted otherwise had it changed meanwhile goes as it was seen.
  Preconditions preconditions = eviction.preconditions;
  const bool sent_version = preconditions.resource_version.has_value();
  const bool pinned = needs_budget ? permission.only_unhealthy : !sent_version && IsPending(*pod);
  if (pinned) preconditions.resource_version = pod->Get("metadata").GetString("resourceVersion");
  auto deleted = co_await DeletePod(eviction, std::move(preconditions));
  if (deleted) co_return true;
  const std::string_view uid = pod->Get("metadata").GetString("uid");
  const bool other_pod = eviction.preconditions.uid && *eviction.preconditions.uid != uid;
  if (deleted.error().code != 409 || !pinned || sent_version) co_return std::unexpected(std::move(deleted.error()));
  if (needs_budget) co_return api::Fail(StillProcessed(permission.budget));
  if (!may_retry || other_pod) co_return std::unexpected(std::move(deleted.error()));
  co_return false;
}

Answer CreateEviction(const Scope& scope, std::string_view) {
  BodyKind wanted = KindOf(*scope.subresource);
  wanted.also_version = "v1beta1";
  Arena arena;
  auto posted = co_await ReadVirtualResource(scope, wanted, arena);
  if (!posted) co_return std::unexpected(std::move(posted.error()));
  auto eviction = ReadEviction(scope, scope.resource, posted->object);
  if (!eviction) co_return std::unexpected(std::move(eviction.error()));
  if (const Value options = posted->object.Get("deleteOptions"); options.is_object() && eviction->dry_run) {
    const Value all = Value::Array(arena, 1);
    all.Append(arena, Value::String("All"));
    options.Set(arena, "dryRun", all);
  }
  if (auto admitted = co_await AdmitVirtualResource(scope, *posted, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  for (int attempt = 1;; ++attempt) {
    auto done = co_await Evict(*eviction, attempt < kAttempts);
    if (!done) co_return std::unexpected(std::move(done.error()));
    if (*done) co_return RespondDone(posted->output);
  }
}

}  // namespace

void AddEvictions(Subresources& subresources) { subresources.Add("", "pods", "eviction", CreateEviction); }

}  // namespace handlers
