// WatchSet: watches on several collections whose events one owner reads, on its executor, a little after they came:
// what a burst of writes makes is one call. Used by controllers in place of informers: nothing is copied or cached.
//
// Threads: everything on the executor's thread; the store's thread only posts. Ownership: the store and the executor
// outlive the set.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "base/executor.h"
#include "store/store.h"

namespace controllers {

class WatchSet {
 public:
  // `ready` is called when there may be events to read.
  WatchSet(store::Store& store, base::Executor& executor, std::chrono::milliseconds gather,
           absl::AnyInvocable<void()> ready);
  ~WatchSet();
  WatchSet(const WatchSet&) = delete;
  WatchSet& operator=(const WatchSet&) = delete;

  // The events of this watch carry `number`. Fails with kCompacted as the store does.
  base::Result<> Add(size_t number, store::WatchOptions options);
  // Ends the watch of that number. Not within Read().
  void Remove(size_t number);

  enum class State { kEmpty, kMore, kLost };
  // Reads at most `most` events that wait. kMore: there are others (`ready` will be called); kLost: a watch fell behind
  // the retained history, or `ready` threw when it was called last; the set is of no use any more.
  State Read(size_t most, absl::FunctionRef<void(size_t watch, const store::Event& event)> handle);

 private:
  struct Bell;
  struct Watch {
    size_t number;
    std::shared_ptr<std::atomic<bool>> due;  // it was woken since it was last read to the end
    std::unique_ptr<store::Watcher> watcher;
  };

  bool IsDue() const;

  store::Store& store_;
  absl::AnyInvocable<void()> ready_;
  std::shared_ptr<Bell> bell_;
  std::vector<Watch> watches_;
  bool failed_ = false;  // `ready` threw
};

}  // namespace controllers
