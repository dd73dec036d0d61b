// NamespaceDeleter: empties namespaces that are being deleted, says in their conditions what is still there, and lets
// them go when nothing is. A client of the registry; it keeps nothing that the store does not say, so that a restart
// goes on where it was, and so that another namespace controller may run beside it.
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
// Cost: one look at every write of a namespace; nothing where none is being deleted.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/string_map.h"
#include "controllers/account.h"
#include "controllers/namespace_conditions.h"
#include "controllers/watch_set.h"
#include "controllers/work_queue.h"
#include "registry/registry.h"

namespace controllers {

class NamespaceDeleter {
 public:
  NamespaceDeleter(registry::Registry& registry, const base::Clock& clock, base::Executor& executor);
  // After Stop(), if it was started.
  ~NamespaceDeleter();
  NamespaceDeleter(const NamespaceDeleter&) = delete;
  NamespaceDeleter& operator=(const NamespaceDeleter&) = delete;

  void Start();
  // `stopped` is called on the executor, once nothing of it runs any more.
  void Stop(absl::AnyInvocable<void()> stopped);

 private:
  // A namespace as one round of work sees it.
  struct Subject {
    std::string name, uid;
    std::chrono::system_clock::time_point deleted_at;
  };
  // What a round of emptying leaves.
  struct Round {
    ContentReport report;
    std::vector<registry::ResourceRef> remaining;
    std::chrono::seconds estimate{0};  // how long what remains may take; 0 nothing is known
  };

  void Begin();
  void ReadEvents();
  void Learn(const store::Cell& cell);
  base::Task<WorkQueue::Outcome> Work(std::string_view name);
  base::Task<> Empty(const Subject& subject, Round& round);
  base::Task<> EmptyCollection(const Subject& subject, const registry::ResourceRef& resource, Round& round);
  void CountRemaining(const Subject& subject, const registry::ResourceRef& resource, std::chrono::seconds grace,
                      Round& round) const;
  std::chrono::seconds GraceOf(const Subject& subject, const registry::Resource& resource) const;
  base::Task<api::Result<>> SetPhase(const Subject& subject);
  base::Task<api::Result<>> Report(const Subject& subject, const ContentReport& report);
  base::Task<api::Result<>> Finalize(const Subject& subject);
  // Has the namespace worked on again as soon as all of `remaining` is gone.
  void AwaitContent(const std::string& name, const std::vector<registry::ResourceRef>& remaining);
  void CheckContent(const std::string& name);
  size_t Count(const registry::Resource& resource, std::string_view name) const;

  registry::Registry& registry_;
  const base::Clock& clock_;
  base::Executor& executor_;
  const Account account_;
  const registry::ResourceRef namespaces_;
  std::unique_ptr<WatchSet> watches_;
  // Of namespaces whose content waits for others to let it go.
  struct Awaited {
    std::vector<registry::ResourceRef> remaining;
    std::unique_ptr<WatchSet> watches;
  };
  base::StringMap<Awaited> awaited_;
  WorkQueue queue_;
  bool stopped_ = false;
  std::shared_ptr<NamespaceDeleter*> self_;  // for posted work that may come too late
};

}  // namespace controllers
