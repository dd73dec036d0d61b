// DefinitionFinalizer: ends custom resource definitions that are being deleted (crd_finalizer of the real server):
// their objects are deleted, and when the last has gone the clean-up finalizer goes as well. And gives a definition
// that could not have its names another look when one of its group changes (crd_naming_condition).
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "controllers/account.h"
#include "controllers/reconciler.h"
#include "customresources/definition_status.h"
#include "registry/registry.h"

namespace controllers {

class DefinitionFinalizer {
 public:
  DefinitionFinalizer(registry::Registry& registry, const base::Clock& clock, base::Executor& executor);

  void Start();
  void Stop(absl::AnyInvocable<void()> stopped);

 private:
  void Notice(WorkQueue& queue, const Reconciler::Change& change) const;
  base::Task<WorkQueue::Outcome> Work(std::string_view name);
  // True when no object is left.
  base::Task<bool> DeleteObjects(const registry::Resource& resource) const;
  base::Task<api::Result<>> SetCondition(std::string_view name, std::string_view uid,
                                         const customresources::Condition& condition) const;

  registry::Registry& registry_;
  const base::Clock& clock_;
  const Account account_;
  const registry::ResourceRef definitions_;
  Reconciler reconciler_;
};

}  // namespace controllers
