// Reconciler: the frame of controllers that keep a part of an object what follows from others: it hears of changes in
// some collections, and works on keys, one at a time each, as often as there may be something to do. What the work
// needs to know is read from the store when it runs, so that a burst of changes is one piece of work.
//
// Threads: Start() and Stop() by the wiring thread; `noticed` and `work` on the executor. Ownership: everything given
// outlives it. Cost: one call of `noticed` for each change of what is watched; memory for the keys that wait.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "base/clock.h"
#include "base/executor.h"
#include "controllers/watch_set.h"
#include "controllers/work_queue.h"
#include "registry/registry.h"

namespace controllers {

class Reconciler {
 public:
  struct Change {
    size_t watched;           // the place in Options::watched, or what Watch() was given
    const store::Cell& cell;  // what is stored now, of a deletion the last state
    // Null: it is stored since before the start.
    const store::Event* event = nullptr;
  };
  using Noticed = absl::AnyInvocable<void(WorkQueue& queue, const Change& change)>;
  struct Options {
    // The first one's objects count as changed at the start, and when history was lost. Null ones are left out.
    std::vector<registry::ResourceRef> watched;
    WorkQueue::Options queue{.concurrency = 8};
  };

  Reconciler(registry::Registry& registry, const base::Clock& clock, base::Executor& executor, Options options,
             Noticed noticed, WorkQueue::Work work);
  // After Stop(), if it was started.
  ~Reconciler();
  Reconciler(const Reconciler&) = delete;
  Reconciler& operator=(const Reconciler&) = delete;

  void Start();
  // `stopped` is called on the executor, once nothing of it runs any more.
  void Stop(absl::AnyInvocable<void()> stopped);
  // On the executor: hears of changes in that collection, too, from now on. `number` is none of Options::watched.
  void Watch(size_t number, store::CollectionId collection);
  void Unwatch(size_t number);
  // On the executor: works on the key then, if it is not worked on before.
  void AddAfter(std::string_view key, std::chrono::milliseconds delay) { queue_.AddAfter(key, delay); }

 private:
  void Begin();
  void ReadEvents();
  base::Result<> AddWatch(size_t number, store::CollectionId collection, store::Revision after);

  store::Store& store_;
  base::Executor& executor_;
  const std::vector<registry::ResourceRef> watched_;
  Noticed noticed_;
  WorkQueue queue_;
  std::unique_ptr<WatchSet> watches_;
  absl::flat_hash_map<size_t, store::CollectionId> more_;  // of Watch()
  bool stopped_ = false;
  std::shared_ptr<Reconciler*> self_;  // for posted work that may come too late
};

}  // namespace controllers
