// PolicyStatus: says of each validating admission policy that it was looked at (`observedGeneration`), and what its
// expressions get wrong of the types that it speaks of (`typeChecking`), once a generation.
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "controllers/account.h"
#include "controllers/reconciler.h"
#include "registry/registry.h"

namespace controllers {

struct PolicyWarning {
  std::string field;  // "spec.validations[0].expression"
  std::string warning;
};
// What the expressions of a stored policy get wrong; any thread.
using PolicyTypeCheck =
    std::function<std::vector<PolicyWarning>(const value::Value& policy, const registry::ResourceTable& resources)>;

class PolicyStatus {
 public:
  PolicyStatus(registry::Registry& registry, const base::Clock& clock, base::Executor& executor, PolicyTypeCheck check);

  void Start() { reconciler_.Start(); }
  void Stop(absl::AnyInvocable<void()> stopped) { reconciler_.Stop(std::move(stopped)); }

 private:
  base::Task<WorkQueue::Outcome> Work(std::string_view name);
  value::Value Configuration(const value::Value& policy, value::Arena& arena) const;

  registry::Registry& registry_;
  const base::Clock& clock_;
  const PolicyTypeCheck check_;
  const Account account_;
  const registry::ResourceRef policies_;
  Reconciler reconciler_;
};

}  // namespace controllers
