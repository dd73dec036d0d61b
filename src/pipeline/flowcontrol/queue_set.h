// QueueSet: the requests of one priority level: which run, which wait in which queue, and which of the waiting ones is
// next. The algorithm is that of kube-apiserver (KEP 1040): a flow is dealt a hand of queues by a hash, waits in the
// least loaded of them, and queues are served by virtual time, in which each has the same share of the seats. A test
// holds its order of dispatch.
//
// Threads: any; one lock, held for one step. What is called back is called without it, on the thread that made the
// decision: it only posts. Ownership: a Request is shared by who waits for it and the set; Finish() or Cancel() ends
// it. Bounds: queues times their length wait, more are rejected. Cost: a few look-ups where nothing waits, a look at
// each queue where something does.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/any_invocable.h"
#include "api/request.h"
#include "base/clock.h"

namespace pipeline {

// A hand of `hand_size` different cards out of `deck_size`, by the digits of `hash`.
std::vector<int> DealHand(uint64_t hash, int deck_size, int hand_size);

class QueueSet {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Virtual time, and work: seats times seconds, in units of 10 ns.
  using SeatSeconds = int64_t;

  enum class Response : uint8_t { kExempt, kReject, kQueue };
  struct Config {
    Response response = Response::kReject;
    int queues = 0, hand_size = 1, queue_length = 1;  // of kQueue
    int seats = 0;                                    // that may be taken at once
  };
  // What a request is, for dumps and metrics. The views and `context` outlive the request's part in the set.
  struct Facts {
    std::string_view flow_schema;
    std::string distinguisher;
    uint64_t flow_hash = 0;
    int seats = 1;
    const api::RequestContext* context = nullptr;
  };
  class Request;
  using RequestRef = std::shared_ptr<Request>;
  using Decided = absl::AnyInvocable<void(bool runs)>;

  explicit QueueSet(const base::Clock& clock) : clock_(clock), last_(clock.Monotonic()) {}

  // Queues that are no more wanted go when they are empty.
  void Configure(const Config& config);

  // A request that runs or waits; null where there is no room for it.
  RequestRef Start(Facts facts);
  bool Runs(const Request& request) const;
  // Calls `decided` once: at once where it runs already, else when it may run, or is cancelled.
  void WhenDecided(Request& request, Decided decided);
  // One that waits leaves its queue; one that runs is left alone.
  void Cancel(const RequestRef& request);
  // It has run.
  void Finish(const RequestRef& request);

  struct RequestDump {
    std::string flow_schema, distinguisher, user;
    api::RequestInfo info;
    std::chrono::system_clock::time_point arrived, started;  // started: epoch while it waits
    int seats = 0;
  };
  struct QueueDump {
    std::vector<RequestDump> waiting, running;
    int seats_in_use = 0, seats_waiting = 0;
    SeatSeconds next_dispatch = 0, work_waiting = 0;
  };
  struct Dump {
    std::vector<QueueDump> queues;
    std::vector<RequestDump> without_queue;
    int waiting = 0, running = 0, seats_in_use = 0, seats_waiting = 0;
    uint64_t dispatched = 0, rejected = 0, timed_out = 0, cancelled = 0;
    SeatSeconds now = 0;
    bool idle() const { return waiting == 0 && running == 0; }
  };
  Dump MakeDump(bool with_requests) const;
  bool idle() const;

  // Seats in use and waited for, since the last call.
  struct Demand {
    double seconds = 0, average = 0, deviation = 0, most = 0;
  };
  Demand TakeDemand();

 private:
  struct Queue;
  using QueueRef = std::shared_ptr<Queue>;
  using Wakers = std::vector<std::pair<Decided, bool>>;

  void SyncTime();
  void NoteDemand();
  bool HasRoomFor(int seats) const;
  const QueueRef& QueueFor(uint64_t hash);
  void Run(const RequestRef& request);
  void Dispatch(Wakers& wakers);
  bool DispatchOne(Wakers& wakers);
  void RemoveSpareQueues();
  static void BoundNextDispatch(Queue& queue);
  static void Call(Wakers wakers);
  static RequestDump DumpOf(const Request& request);

  const base::Clock& clock_;
  mutable std::mutex mutex_;  // guards what follows
  Config config_;
  std::vector<QueueRef> queues_;
  absl::flat_hash_set<Request*> without_queue_;
  Time last_;
  SeatSeconds now_ = 0;
  size_t robin_ = 0, enqueued_ = 0;
  int waiting_ = 0, running_ = 0, seats_in_use_ = 0, seats_waiting_ = 0, active_queues_ = 0;
  uint64_t dispatched_ = 0, rejected_ = 0, cancelled_ = 0;
  // The demand's integrals since it was taken.
  Time demand_since_ = last_;
  double demand_seconds_ = 0, demand_sum_ = 0, demand_squares_ = 0, demand_most_ = 0, demand_ = 0;
};

}  // namespace pipeline
