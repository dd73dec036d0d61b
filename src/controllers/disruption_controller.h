// DisruptionController: says in the status of a PodDisruptionBudget how many of the pods that it selects there should
// be, how many are healthy, and how many may be evicted now.
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
// Cost: for each change of a pod in a namespace with budgets one look at that namespace's pods for each of them,
// however many pods changed meanwhile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "controllers/account.h"
#include "controllers/reconciler.h"
#include "registry/registry.h"

namespace controllers {

class DisruptionController {
 public:
  DisruptionController(registry::Registry& registry, const base::Clock& clock, base::Executor& executor);

  void Start() { reconciler_.Start(); }
  void Stop(absl::AnyInvocable<void()> stopped) { reconciler_.Stop(std::move(stopped)); }

 private:
  // What the status should say.
  struct Verdict {
    int64_t healthy = 0, desired = 0, expected = 0;
    std::vector<std::string> disrupted;  // pods whose eviction was allowed and is still to be seen
    std::optional<std::chrono::seconds> recheck;
    std::string failure;  // the pods cannot be counted: nothing may be evicted

    int64_t allowed() const;
  };
  struct Pod {
    std::string name;
    bool deleting = false, ready = false;
    value::Value controller;  // its owner reference; null: none
  };
  struct Scale {
    std::string uid;
    int64_t replicas = 0;
  };

  void Notice(WorkQueue& queue, const Reconciler::Change& change) const;
  base::Task<WorkQueue::Outcome> Work(std::string_view key);

  Verdict Judge(const value::Value& budget, value::Arena& arena) const;
  api::Result<std::vector<Pod>> Pods(const value::Value& budget, value::Arena& arena) const;
  // The sum of the scales of the pods' controllers; fails with what the condition says then.
  std::expected<int64_t, std::string> ExpectedScale(std::string_view namespace_name,
                                                    const std::vector<Pod>& pods) const;
  // None: the controller is not there.
  std::expected<std::optional<Scale>, std::string> ScaleOf(std::string_view namespace_name,
                                                           const value::Value& controller) const;
  std::optional<Scale> DeploymentOf(std::string_view namespace_name, const value::Value& replica_set) const;
  store::CellRef Stored(const registry::Resource* resource, std::string_view key) const;
  void Say(const value::Value& budget, const Verdict& verdict, value::Arena& arena) const;

  registry::Registry& registry_;
  const base::Clock& clock_;
  const Account account_;
  const registry::ResourceRef budgets_;
  const registry::ResourceRef pods_;
  const registry::ResourceRef replica_sets_;
  const registry::ResourceRef deployments_;
  Reconciler reconciler_;
};

}  // namespace controllers
