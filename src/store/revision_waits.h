// RevisionWaits: who waits for a revision to be readable. Used by the store.
// Threads: any. Callbacks run on the thread that calls Reached(), Expire() or Cancel(), outside of the lock.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "base/result.h"
#include "engine/engine.h"

namespace store {

class RevisionWaits {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Done = absl::AnyInvocable<void(base::Result<>)>;

  void Add(engine::Revision at_least, Time deadline, Done done);
  // Nothing waits: a cheap question, asked for every batch.
  bool empty() const { return count_.load(std::memory_order_seq_cst) == 0; }
  void Reached(engine::Revision revision);
  void Expire(Time now);
  void Cancel();
  // The earliest deadline; Time::max() when nothing waits.
  Time next() const;

 private:
  struct Wait {
    engine::Revision at_least;
    Time deadline;
    Done done;
  };
  void Finish(absl::FunctionRef<bool(const Wait&)> chosen, const base::Result<>& result);

  std::atomic<size_t> count_{0};
  mutable std::mutex mutex_;
  std::vector<Wait> waits_;  // guarded by mutex_
};

}  // namespace store
