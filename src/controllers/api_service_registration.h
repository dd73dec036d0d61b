// ApiServiceRegistration: keeps an API service for each group version that custom resources are served in, as the real
// server registers them (autoregister_controller, crdregistration_controller): they say where discovery lists the group.
// It makes what is missing and removes what it made (by its label) for versions that are served no more; those of other
// hands stay.
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "controllers/account.h"
#include "controllers/followed_resources.h"
#include "controllers/reconciler.h"
#include "registry/registry.h"

namespace controllers {

class ApiServiceRegistration {
 public:
  ApiServiceRegistration(registry::Registry& registry, const base::Clock& clock, base::Executor& executor);

  void Start();
  void Stop(absl::AnyInvocable<void()> stopped);

 private:
  void Notice(WorkQueue& queue, const Reconciler::Change& change) const;
  void OnResource(const registry::Resource& resource);
  // `name`: VERSION.GROUP.
  base::Task<WorkQueue::Outcome> Work(std::string_view name);
  bool IsServed(std::string_view group, std::string_view version) const;

  registry::Registry& registry_;
  const Account account_;
  const registry::ResourceRef api_services_;
  Reconciler reconciler_;
  FollowedResources custom_;
};

}  // namespace controllers
