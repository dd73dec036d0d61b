// QuotaController: says in the status of a ResourceQuota what its namespace may use, as the spec has it, and what it
// uses, counted anew from what is stored.
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
// Cost: a look for quotas in the namespace of each change; counting decodes the pods, services and claims there where
// one of their quantities is limited, and counts keys for all else.
#pragma once

#include <string_view>
#include <vector>

#include "api/quota_usage.h"
#include "base/clock.h"
#include "base/executor.h"
#include "controllers/account.h"
#include "controllers/followed_resources.h"
#include "controllers/reconciler.h"
#include "registry/registry.h"

namespace controllers {

class QuotaController {
 public:
  QuotaController(registry::Registry& registry, const base::Clock& clock, base::Executor& executor);

  void Start() {
    counted_.Start();
    reconciler_.Start();
  }
  void Stop(absl::AnyInvocable<void()> stopped) {
    counted_.Stop();
    reconciler_.Stop(std::move(stopped));
  }

 private:
  void Notice(WorkQueue& queue, const Reconciler::Change& change) const;
  base::Task<WorkQueue::Outcome> Work(std::string_view key);
  // What is used of everything that the spec limits; names that nothing is counted for keep what `status` says.
  api::ResourceList Used(const value::Value& quota) const;
  void Say(const value::Value& quota, value::Arena& arena) const;

  registry::Registry& registry_;
  const base::Clock& clock_;
  const Account account_;
  const registry::ResourceRef quotas_;
  Reconciler reconciler_;
  FollowedResources counted_;  // all but the quotas; watched under one number more
};

}  // namespace controllers
