// EventLoop: the executor of one I/O thread: sockets by readiness, posted work, timers and the wake-ups of streams.
// Made by IoThreads; connections live on one loop for their whole life.
//
// Threads: Post, PostAfter, Stop and WakeCell::Wake from any thread; everything else on the loop's own thread, or the
// deputy's, which runs the rounds while that one does something that blocks (TurnToBlock): never both.
// A round of the loop is: ready sockets, posted work, due timers, woken streams, deferred flushes. So all that one
// round found to do for a connection leaves in one write, and a thousand wake-ups cost one system call at most. Bounds:
// queues hold what was posted; who posts bounds it (one entry a stream, a connection, a request). Errors: an exception
// of one piece of work (no memory) is told to `on_failure` and ends nothing else.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "base/turn_to_block.h"

namespace http {

class StandbyLoop;
class EventLoop;

// Something with a file descriptor on a loop. Edge-triggered: it reads and writes until the system says that it would
// block.
class FdHandler {
 public:
  virtual ~FdHandler() = default;
  virtual void OnReady(uint32_t epoll_events) = 0;
};

// Something that wants to run once at the end of the round, however often it was asked for. What was asked for by
// OnWake alone is patient: a round runs some of it, in order, and the next ones the rest, so that requests do not wait
// until hundreds of watches have their event. All that are woken are run in passes, once each; the next pass waits for
// twice the time that the last one took the thread (10 ms at most; not where it is below 1 ms), and gives them several
// events at once: where events come faster than they can be given to all, the writes that they come from get their
// turn.
class Deferred {
 public:
  virtual ~Deferred() = default;
  virtual void RunDeferred() = 0;

 private:
  friend class EventLoop;
  bool queued_ = false;
  bool patient_ = false;  // is in a queue of the patient, perhaps beside `queued_`
  uint32_t served_ = 0;   // the pass that ran it last
};

class WakeTarget {
 public:
  virtual ~WakeTarget() = default;
  virtual void OnWake() = 0;
};

// The bridge from any thread to a WakeTarget on a loop. Wakes between two rounds are one call of OnWake. Shared by the
// target's owner, who calls Detach, and by the closure that wakes; the loop outlives every Wake.
class WakeCell : public std::enable_shared_from_this<WakeCell> {
 public:
  WakeCell(EventLoop& loop, WakeTarget& target) : loop_(loop), target_(&target) {}
  void Wake();                          // any thread
  void Detach() { target_ = nullptr; }  // loop thread: OnWake is not called any more

 private:
  friend class EventLoop;
  EventLoop& loop_;
  WakeTarget* target_;  // loop thread only
  std::atomic<bool> queued_ = false;
  WakeCell* next_ = nullptr;        // of the loop's stack, written by the thread that set queued_
  std::shared_ptr<WakeCell> self_;  // keeps the cell while it is on the stack
};

class EventLoop final : public base::Executor, private base::TurnToBlock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  using OnFailure = std::function<void(std::string_view)>;
  // `on_failure` is told what was thrown by work of the loop, which goes on with the rest; on whatever thread ran it.
  static base::Result<std::unique_ptr<EventLoop>> Create(OnFailure on_failure = nullptr);
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void Post(base::Work work) override;
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds delay, base::Work work) override;

  // Runs rounds on the calling thread until Stop. With a deputy, work of this thread may block (TurnToBlock).
  void Run(StandbyLoop* deputy = nullptr);
  void Stop();
  // One round, which waits at most `wait` for something to do. For tests and fuzzers that drive a loop themselves.
  void RunOnce(std::chrono::milliseconds wait);

  // Watches `fd` for input, output and hang-up. Remove before closing it; `handler` must outlive the present round.
  base::Result<> Add(int fd, FdHandler& handler);
  void Remove(int fd);
  // Runs `deferred` at the end of this round (or of the next one, when asked for by a deferred run); called by OnWake:
  // of this round or a later one.
  void Defer(Deferred& deferred);
  void Forget(Deferred& deferred);
  // Destroys `handler` when this round is over: events of the round may still name it.
  void DestroyLater(std::unique_ptr<FdHandler> handler) { graveyard_.push_back(std::move(handler)); }

  TimePoint now() const { return now_; }  // of this round
  std::string_view http_date();           // "Sat, 21 Nov 2026 08:12:47 GMT", of this second
  // On the deputy's thread: what there is to do, if the loop's thread is away. False: it is not.
  bool RunForItsThread();
  int epoll_fd() const { return epoll_fd_; }
  bool OnLoopThread() const { return std::this_thread::get_id() == thread_.load(std::memory_order_relaxed); }

 private:
  struct TimerEntry;
  class LoopTimer;
  friend class WakeCell;

  EventLoop(int epoll_fd, int event_fd, OnFailure on_failure);
  void Take(base::Work work, base::Work otherwise) override;
  void BlockOrNot(StandbyLoop& deputy);
  template <class F>
  void Guarded(F&& run) noexcept;
  void Interrupt();
  bool HasWork();
  int WaitTime(std::chrono::milliseconds most) const;
  void RunPosted();
  void RunTimers();
  void RunWoken();
  void RunDeferred();
  void RunPatient();
  bool IsHeld() const { return std::chrono::steady_clock::now() < held_until_; }

  // Constant.
  const int epoll_fd_;
  const int event_fd_;
  const OnFailure on_failure_;

  // Who runs the rounds: held by the loop's thread but while it blocks.
  std::mutex rounds_mutex_;
  bool away_ = false;               // guarded by rounds_mutex_; the loop's thread is blocked
  std::atomic<bool> back_ = false;  // it is not any more, and waits for the deputy

  // Any thread.
  std::atomic<std::thread::id> thread_;  // who runs the rounds
  std::atomic<bool> sleeping_ = false;
  std::atomic<bool> stopped_ = false;
  std::atomic<WakeCell*> woken_ = nullptr;
  std::mutex posted_mutex_;
  std::vector<base::Work> posted_;  // guarded by posted_mutex_

  // Loop thread.
  base::Work to_block_, otherwise_;
  int declines_ = 0;  // turns: the deputy had to serve in an earlier one
  int ready_ = 0;     // descriptors in the last round
  TimePoint now_;
  std::vector<base::Work> running_;
  std::multimap<TimePoint, std::shared_ptr<TimerEntry>> timers_;
  std::vector<Deferred*> deferred_;
  std::vector<Deferred*> flushing_;
  bool waking_ = false;                   // OnWake is being called
  std::deque<Deferred*> patient_, held_;  // held_: woken again after the present pass had served them
  uint32_t pass_ = 1;
  std::chrono::nanoseconds pass_took_{};  // of the thread, so far
  TimePoint held_until_;                  // no other pass begins before
  std::vector<std::unique_ptr<FdHandler>> graveyard_;
  std::string date_;
  std::chrono::seconds date_second_{-1};
};

}  // namespace http
