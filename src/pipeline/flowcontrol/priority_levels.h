// PriorityLevels: the seats of the server, divided among the priority levels, and the queues of each. What levels do
// not use they lend: every ten seconds each gets the seats that fit to what it wanted of late, within its bounds.
//
// Threads: any; one lock, held while levels are changed, divided anew or listed; requests take only their level's.
// Ownership: a level's state lives as long as its configuration or a request holds it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/string_map.h"
#include "pipeline/flowcontrol/flow_schemas.h"
#include "pipeline/flowcontrol/queue_set.h"

namespace pipeline {

// When a client whose request was refused may come again: seconds, the more the more of late were refused.
class RetryAfter {
 public:
  // Counts a refusal at this time; any thread.
  int64_t Refused(int64_t unix_seconds);

 private:
  std::mutex mutex_;
  std::vector<std::pair<int64_t, int64_t>> history_;  // seconds that had refusals, and how many
  int64_t second_ = 0, count_ = 0, wait_ = 1, changed_ = 0;
};

class LevelState {
 public:
  explicit LevelState(const base::Clock& clock) : queues(clock) {}

  QueueSet queues;
  RetryAfter retry_after;
  // Guarded by the lock of PriorityLevels.
  struct Seats {
    int nominal = 0, least = 0, most = 0, current = 0;
    double demand_average = 0, demand_deviation = 0, demand_most = 0, demand_smoothed = 0, target = 0;
  };
  Seats seats;
  PriorityLevel configuration;  // without state
  bool quiescing = false;       // no more configured; goes when it is idle
  std::atomic<int> widest{0};   // seats that one request may take; 0: no bound of its own
};

class PriorityLevels {
 public:
  // `seats`: of the whole server. `clock` outlives this.
  PriorityLevels(int seats, const base::Clock& clock) : seats_(seats), clock_(clock) {}

  // The levels are those of `schemas` from now on, whose PriorityLevel::state is set.
  void Apply(FlowSchemas& schemas);
  // Divides the seats anew where it is time to. Cheap where it is not.
  void Adjust();

  struct Level {
    std::string name;
    bool quiescing = false;
    LevelState::Seats seats;
    QueueSet::Dump dump;
  };
  // By name.
  std::vector<Level> List(bool with_requests) const;

 private:
  void Divide();
  void ForgetIdle();
  QueueSet::Config ConfigOf(const LevelState& state) const;

  const int seats_;
  const base::Clock& clock_;
  std::atomic<int64_t> next_adjustment_{0};  // of the monotonic clock, in nanoseconds
  mutable std::mutex mutex_;                 // guards what follows
  base::StringMap<std::shared_ptr<LevelState>> levels_;
  int nominal_sum_ = 0;
};

}  // namespace pipeline
