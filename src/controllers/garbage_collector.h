// GarbageCollector: deletes objects whose owners are gone, lets dependents go whose owner is deleted with `orphan`, and
// lets owners go whose dependents are deleted first (`foregroundDeletion`). A client of the registry; what it knows
// derives from the store, so that a restart goes on where it was, and so that another garbage collector may run beside
// it: every write names the uid it means.
//
// What names an owner is judged by the owner as it is stored at that moment: absent, of another uid, or in another
// namespace all count as gone. An owner of a kind that is not served is neither; it is looked for again from time to
// time.
//
// Threads: Start() and Stop() by the wiring thread; all else on the executor. Ownership: everything given outlives it.
// Cost: one look at the metadata of every written object; memory for objects that name owners (owner_index.h).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "base/clock.h"
#include "base/executor.h"
#include "controllers/account.h"
#include "controllers/followed_resources.h"
#include "controllers/object_facts.h"
#include "controllers/owner_index.h"
#include "controllers/watch_set.h"
#include "controllers/work_queue.h"
#include "registry/registry.h"

namespace controllers {

class GarbageCollector {
 public:
  GarbageCollector(registry::Registry& registry, const base::Clock& clock, base::Executor& executor);
  // After Stop(), if it was started.
  ~GarbageCollector();
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

  void Start();
  // `stopped` is called on the executor, once nothing of it runs any more.
  void Stop(absl::AnyInvocable<void()> stopped);

 private:
  using Kind = std::pair<std::string, std::string>;
  enum class Action : uint8_t {
    kNothing,
    kLookAgain,       // an owner's kind is not served, or not watched
    kLetOwnerGo,      // the object itself waits for nothing any more: its finalizer goes
    kDropReferences,  // to owners that are gone or let it go
    kDelete,
    kDeleteForeground,  // its dependents first
    kBreakCycle,        // as kDeleteForeground, but it stops holding up its owners
  };
  struct Verdict {
    Action action = Action::kNothing;
    std::string_view policy;        // of kDelete
    std::vector<std::string> drop;  // uids, of kDropReferences
  };
  // An object as it is stored now.
  struct Live {
    store::CellRef cell;
    ObjectFacts facts;
  };
  enum class OwnerState : uint8_t { kSolid, kGone, kWaiting, kUnknown, kUnobserved, kForbidden };

  void BeginSoon();
  void Begin();
  base::Result<> Watch(size_t source, store::Revision after);
  void OnSource(size_t source);
  void OnSourceGone(size_t source);
  void OnKind(const registry::ResourceRef& before, const registry::ResourceRef& after);
  // One slice of reading what is stored: first who owns whom, then who needs work.
  void Scan();
  void ReadEvents();
  void Learn(size_t source, const store::Cell& cell);
  void Forget(const store::Cell& cell);
  void EnqueueDependents(std::string_view owner_uid);
  void EnqueueWaiting(const std::vector<std::string>& owner_uids);
  void Consider(const OwnerIndex::Node& node);

  Live Read(const OwnerIndex::Node& node) const;
  Verdict Judge(const OwnerIndex::Node& node, const Live& live) const;
  Verdict JudgeOwners(const OwnerIndex::Node& node, const Live& live) const;
  OwnerState StateOf(const OwnerReference& owner, bool namespaced, std::string_view namespace_name) const;
  bool HasWaitingDependent(const OwnerIndex::Node& node) const;
  registry::Key KeyOf(size_t source, std::string_view store_key) const;

  base::Task<WorkQueue::Outcome> Work(std::string_view uid);
  // What the verdict asks for. `foreground`: the object has that finalizer, else the other one.
  base::Task<api::Result<>> Act(const registry::Resource& resource, registry::Key key, std::string_view uid,
                                const Verdict& verdict, bool foreground);

  registry::Registry& registry_;
  base::Executor& executor_;
  const Account account_;
  FollowedResources sources_;  // collections whose objects are watched
  // By apiVersion and kind. Those that are not served any more stay for a while: their objects are gone.
  absl::flat_hash_map<Kind, registry::ResourceRef> kinds_;
  std::deque<std::pair<Kind, registry::ResourceRef>> gone_kinds_;

  OwnerIndex index_;
  std::unique_ptr<WatchSet> watches_;
  WorkQueue queue_;
  bool stopped_ = false;

  // While Scan() goes on.
  enum class Phase : uint8_t { kOwners, kWork, kDone };
  Phase phase_ = Phase::kDone;
  size_t scanned_ = 0;  // sources read to the end in this phase
  store::Snapshot snapshot_;
  std::optional<store::Scan> scan_;
  std::shared_ptr<GarbageCollector*> self_;  // for posted work that may come too late
};

}  // namespace controllers
