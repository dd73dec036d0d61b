// PolicyStatus: says of each validating admission policy that it was looked at (`observedGeneration`), and what its
// expressions get wrong of the types that it speaks of (`typeChecking`). Expressions cannot be read yet: policies that
// have some to be held against types keep their status; of all others there is nothing to be said.
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "controllers/account.h"
#include "controllers/reconciler.h"
#include "registry/registry.h"

namespace controllers {

class PolicyStatus {
 public:
  PolicyStatus(registry::Registry& registry, const base::Clock& clock, base::Executor& executor);

  void Start() { reconciler_.Start(); }
  void Stop(absl::AnyInvocable<void()> stopped) { reconciler_.Stop(std::move(stopped)); }

 private:
  base::Task<WorkQueue::Outcome> Work(std::string_view name);
  // Whether the rule names a resource that is served.
  bool FindsType(const value::Value& rule) const;
  bool NeedsExpressions(const value::Value& policy) const;

  registry::Registry& registry_;
  const base::Clock& clock_;
  const Account account_;
  const registry::ResourceRef policies_;
  Reconciler reconciler_;
};

}  // namespace controllers
