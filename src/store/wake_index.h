// WakeIndex: which idle watchers of one collection an event may concern, so that 5,000 idle watchers cost a write
// nothing: a look-up each by exact key, by namespace, by index value, and the list of those who want everything.
//
// Threads: guarded by the collection's mutex. Ownership: Waiters belong to their watchers and unregister before they
// go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "base/string_map.h"
#include "store/event.h"

namespace store {

// What a watch wants to see.
struct WatchFilter {
  std::string prefix;
  bool exact_key = false;
  std::optional<std::string> index;

  bool Matches(const Event& event) const;
};

struct WaiterGroup;

// A watcher's place in the index.
struct Waiter {
  enum class State : uint8_t {
    kReading,  // in no list: its owner has not come to the end of the log
    kArmed,    // idle, in its group's list: no event that concerns it came since
    kDue,      // in the due list: such an event came, its waker has to be called
  };
  WatchFilter filter;
  absl::AnyInvocable<void()> wake;
  State state = State::kReading;
  uint64_t resume = 0;  // kArmed -> kDue: position of the event that woke it
  WaiterGroup* group = nullptr;
  Waiter* previous = nullptr;  // neighbours in the list of its state
  Waiter* next = nullptr;
};

// A list of waiters that want the same events.
struct WaiterGroup {
  Waiter* armed = nullptr;
  size_t registered = 0;
};

class WakeIndex {
 public:
  void Register(Waiter& waiter);
  void Unregister(Waiter& waiter);

  // The waiter has read everything: the next event that matches makes it due.
  void Arm(Waiter& waiter);
  // Makes the armed waiters due that the event at `position` concerns.
  void Match(const Event& event, uint64_t position);
  // Takes the next due waiter and calls its waker; false when none is due.
  bool WakeOne();

 private:
  using Groups = base::StringMap<std::unique_ptr<WaiterGroup>>;

  // The table and key under which a filter is found; the table of prefixes serves those of whole namespaces only.
  Groups* TableOf(const WatchFilter& filter, std::string_view& key);
  void MatchGroup(WaiterGroup& group, const Event& event, uint64_t position);
  void MatchIn(Groups& groups, std::string_view key, const Event& event, uint64_t position);
  void Unlink(Waiter& waiter);

  WaiterGroup everything_;  // also filters that fit no table
  Groups by_key_, by_namespace_, by_index_;
  Waiter* due_ = nullptr;
};

}  // namespace store
