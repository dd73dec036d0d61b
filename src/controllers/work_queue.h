// WorkQueue: keys that wait to be worked on, each at most once, a bounded number of them at a time. What a controller
// feeds from its watches.
//
// A key that is added while it is worked on is worked on again afterwards. Work that fails is tried again, after twice
// the time each time. Bounds: `concurrency` tasks run; a key waits once, however often it was added, so the queue is
// never longer than there are objects that need work.
//
// Threads: everything on the executor's thread; the work's tasks run there, too. Ownership: the executor, the clock and
// what the work refers to outlive the queue; Stop() before it goes.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/string_map.h"
#include "base/task.h"

namespace controllers {

class WorkQueue {
 public:
  enum class Outcome : uint8_t { kDone, kRetry };
  using Work = absl::AnyInvocable<base::Task<Outcome>(std::string_view key)>;  // the key lives until the task ended
  using Milliseconds = std::chrono::milliseconds;

  struct Options {
    size_t concurrency = 64;
    Milliseconds first_delay{5};  // after the first failure
    Milliseconds longest_delay{30000};
  };

  WorkQueue(base::Executor& executor, const base::Clock& clock, Options options, Work work);
  // Nothing is being worked on.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // As soon as there is room.
  void Add(std::string_view key);
  // In a while, if it is not added before; the earliest of several counts.
  void AddAfter(std::string_view key, Milliseconds delay);
  // Starts nothing any more and calls `idle`, once, when nothing is being worked on.
  void Stop(absl::AnyInvocable<void()> idle);

  size_t size() const { return entries_.size(); }  // keys that wait or are worked on

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  enum class State : uint8_t { kDelayed, kReady, kRunning };
  struct Entry {
    State state = State::kReady;
    bool again = false;  // added while running
    uint32_t failures = 0;
    TimePoint due;  // of kDelayed, and of what is added again after a delay
  };

  void Pump();
  void PumpSoon();
  void Start(std::string key);
  void Finish(const std::string& key, Outcome outcome);
  void Delay(const std::string& key, Entry& entry, TimePoint due);
  void ArmTimer();
  void OnTimer();

  base::Executor& executor_;
  const base::Clock& clock_;
  const Options options_;
  Work work_;
  base::StringMap<Entry> entries_;
  std::deque<std::string> ready_;
  std::multimap<TimePoint, std::string> delayed_;  // an entry whose due is another one is out of date
  std::unique_ptr<base::Timer> timer_;
  TimePoint timer_due_ = TimePoint::max();
  size_t running_ = 0;
  bool pumping_ = false;
  bool stopped_ = false;
  absl::AnyInvocable<void()> idle_;
  std::shared_ptr<WorkQueue*> self_;  // for posted work that may come too late
};

}  // namespace controllers
