// RoleAggregator: gives cluster roles that aggregate others the rules of those that their selectors take.
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
// Cost: for a burst of changes of cluster roles one look at all of them for each that aggregates.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "controllers/account.h"
#include "controllers/reconciler.h"
#include "registry/registry.h"

namespace controllers {

class RoleAggregator {
 public:
  RoleAggregator(registry::Registry& registry, const base::Clock& clock, base::Executor& executor);

  void Start() { reconciler_.Start(); }
  void Stop(absl::AnyInvocable<void()> stopped) { reconciler_.Stop(std::move(stopped)); }

 private:
  void Notice(WorkQueue& queue, const Reconciler::Change& change) const;
  base::Task<WorkQueue::Outcome> Work(std::string_view name);
  // An array in `arena`: selector by selector, roles by name, equal rules once. Null where a selector is malformed.
  value::Value RulesOf(const value::Value& role, value::Arena& arena) const;

  registry::Registry& registry_;
  const base::Clock& clock_;
  const Account account_;
  const registry::ResourceRef roles_;
  Reconciler reconciler_;
};

}  // namespace controllers
