// ApiServiceConditions: says of each API service whether it can be reached (`Available`): local ones always; others
// not, where their service, its port or its endpoints are not there. Whether such a server answers is not asked.
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "controllers/account.h"
#include "controllers/reconciler.h"
#include "registry/conditions.h"
#include "registry/registry.h"

namespace controllers {

class ApiServiceConditions {
 public:
  ApiServiceConditions(registry::Registry& registry, const base::Clock& clock, base::Executor& executor);

  void Start() { reconciler_.Start(); }
  void Stop(absl::AnyInvocable<void()> stopped) { reconciler_.Stop(std::move(stopped)); }

 private:
  void Notice(WorkQueue& queue, const Reconciler::Change& change) const;
  base::Task<WorkQueue::Outcome> Work(std::string_view name);
  // None: there is nothing to be said without asking it.
  std::optional<registry::Condition> Available(const value::Value& api_service) const;
  std::optional<registry::Condition> HasEndpoints(std::string_view key, std::string_view named,
                                                  std::string_view port_name) const;

  registry::Registry& registry_;
  const base::Clock& clock_;
  const Account account_;
  const registry::ResourceRef api_services_;
  const registry::ResourceRef services_;
  const registry::ResourceRef endpoints_;
  Reconciler reconciler_;
};

}  // namespace controllers
