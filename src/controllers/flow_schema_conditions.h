// FlowSchemaConditions: says of each flow schema whether the priority level that it names is there (`Dangling`).
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "controllers/account.h"
#include "controllers/reconciler.h"
#include "registry/conditions.h"
#include "registry/registry.h"

namespace controllers {

class FlowSchemaConditions {
 public:
  FlowSchemaConditions(registry::Registry& registry, const base::Clock& clock, base::Executor& executor);

  void Start() { reconciler_.Start(); }
  void Stop(absl::AnyInvocable<void()> stopped) { reconciler_.Stop(std::move(stopped)); }

 private:
  void Notice(WorkQueue& queue, const Reconciler::Change& change) const;
  base::Task<WorkQueue::Outcome> Work(std::string_view name);
  registry::Condition Dangling(const value::Value& schema) const;

  registry::Registry& registry_;
  const base::Clock& clock_;
  const Account account_;
  const registry::ResourceRef schemas_;
  const registry::ResourceRef levels_;
  Reconciler reconciler_;
};

}  // namespace controllers
