#include "pipeline/flowcontrol/queue_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pipeline {
namespace {

constexpr double kUnitsPerSecond = 1e8;
constexpr double kEstimatedSeconds = 0.003;  // that a request takes, before it is known

QueueSet::SeatSeconds WorkOf(double seats, double seconds) {
  return static_cast<QueueSet::SeatSeconds>(std::llround(seats * seconds * kUnitsPerSecond));
}

double Seconds(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

std::vector<int> DealHand(uint64_t hash, int deck_size, int hand_size) {
  std::vector<int> digits, hand;
  for (int i = 0; i < hand_size; ++i) {
    const auto base = static_cast<uint64_t>(deck_size - i);
    digits.push_back(static_cast<int>(hash % base));
    hash /= base;
  }
  // Each digit counts among the cards that are left.
  for (int i = 0; i < hand_size; ++i) {
    int card = digits[static_cast<size_t>(i)];
    for (int j = i; j > 0; --j) {
      if (card >= digits[static_cast<size_t>(j - 1)]) ++card;
    }
    hand.push_back(card);
  }
  return hand;
}

class QueueSet::Request {
 public:
  enum class State : uint8_t { kWaits, kRuns, kEnded };
  Facts facts;
  State state = State::kWaits;
  QueueRef queue;  // null where it never waited for one
  std::list<RequestRef>::iterator place;
  SeatSeconds arrival = 0;
  std::chrono::system_clock::time_point arrived, started;
  Time began;
  Decided decided;

  SeatSeconds work() const { return WorkOf(facts.seats, kEstimatedSeconds); }
};

struct QueueSet::Queue {
  std::list<RequestRef> waiting;
  absl::flat_hash_set<Request*> running;
  SeatSeconds next_dispatch = 0, work_waiting = 0;
  int seats_in_use = 0, seats_waiting = 0;

  bool active() const { return !waiting.empty() || !running.empty(); }
};

void QueueSet::Call(Wakers wakers) {
  for (auto& [decided, runs] : wakers) decided(runs);
}

void QueueSet::SyncTime() {
  const Time now = clock_.Monotonic();
  const double passed = Seconds(now - last_);
  last_ = now;
  if (active_queues_ == 0 || passed <= 0) return;
  const int asked = seats_in_use_ + seats_waiting_;
  now_ += WorkOf(static_cast<double>(std::min(asked, config_.seats)) / active_queues_, passed);
}

void QueueSet::NoteDemand() {
  const double passed = std::max(0.0, Seconds(last_ - demand_since_));
  demand_since_ = last_;
  demand_seconds_ += passed;
  demand_sum_ += demand_ * passed;
  demand_squares_ += demand_ * demand_ * passed;
  demand_ = seats_in_use_ + seats_waiting_;
  demand_most_ = std::max(demand_most_, demand_);
}

QueueSet::Demand QueueSet::TakeDemand() {
  std::lock_guard lock(mutex_);
  SyncTime();
  NoteDemand();
  Demand demand{.seconds = demand_seconds_, .most = demand_most_};
  if (demand_seconds_ > 0) {
    demand.average = demand_sum_ / demand_seconds_;
    demand.deviation = std::sqrt(std::max(0.0, demand_squares_ / demand_seconds_ - demand.average * demand.average));
  }
  demand_seconds_ = demand_sum_ = demand_squares_ = 0;
  demand_most_ = demand_;
  return demand;
}

void QueueSet::Configure(const Config& config) {
  Wakers wakers;
  {
    std::lock_guard lock(mutex_);
    SyncTime();
    config_ = config;
    const size_t wanted = config.response == Response::kQueue ? static_cast<size_t>(std::max(0, config.queues)) : 0;
    while (queues_.size() < wanted) queues_.push_back(std::make_shared<Queue>());
    RemoveSpareQueues();
    Dispatch(wakers);
  }
  Call(std::move(wakers));
}

void QueueSet::RemoveSpareQueues() {
  const size_t wanted = config_.response == Response::kQueue ? static_cast<size_t>(std::max(0, config_.queues)) : 0;
  for (size_t i = queues_.size(); i-- > 0 && queues_.size() > wanted;) {
    if (!queues_[i]->active()) queues_.erase(queues_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (!queues_.empty()) robin_ %= queues_.size();
}

bool QueueSet::HasRoomFor(int seats) const {
  if (config_.response == Response::kExempt) return true;
  if (seats > config_.seats) return running_ == 0;
  return seats_in_use_ + seats <= config_.seats;
}

void QueueSet::BoundNextDispatch(Queue& queue) {
  if (!queue.waiting.empty()) queue.next_dispatch = std::max(queue.next_dispatch, queue.waiting.front()->arrival);
}

const QueueSet::QueueRef& QueueSet::QueueFor(uint64_t hash) {
  const int deck = std::min<int>(config_.queues, static_cast<int>(queues_.size()));
  const std::vector<int> hand = DealHand(hash, deck, std::min(config_.hand_size, deck));
  const size_t offset = enqueued_++ % hand.size();
  const QueueRef* best = nullptr;
  for (size_t i = 0; i < hand.size(); ++i) {
    const QueueRef& queue = queues_[static_cast<size_t>(hand[(offset + i) % hand.size()])];
    if (best == nullptr || queue->work_waiting < (*best)->work_waiting) best = &queue;
  }
  return *best;
}

QueueSet::RequestRef QueueSet::Start(Facts facts) {
  auto request = std::make_shared<Request>();
  request->facts = std::move(facts);
  request->arrived = clock_.Now();
  const int seats = request->facts.seats;
  Wakers wakers;
  {
    std::lock_guard lock(mutex_);
    SyncTime();
    request->arrival = now_;
    if (config_.response != Response::kQueue || queues_.empty()) {
      if (!HasRoomFor(seats)) {
        ++rejected_;
        return nullptr;
      }
      Run(request);
      return request;
    }
    const QueueRef chosen = QueueFor(request->facts.flow_hash);
    Queue& queue = *chosen;
    if (seats_in_use_ >= config_.seats && std::ssize(queue.waiting) >= config_.queue_length) {
      ++rejected_;
      BoundNextDispatch(queue);
      return nullptr;
    }
    if (!queue.active()) {
      queue.next_dispatch = now_;
      ++active_queues_;
    }
    request->queue = chosen;
    request->place = queue.waiting.insert(queue.waiting.end(), request);
    queue.seats_waiting += seats;
    queue.work_waiting += request->work();
    ++waiting_;
    seats_waiting_ += seats;
    NoteDemand();
    BoundNextDispatch(queue);
    Dispatch(wakers);
  }
  Call(std::move(wakers));
  return request;
}

// Takes it out of its queue, if it is in one, and gives it its seats.
void QueueSet::Run(const RequestRef& request) {
  const int seats = request->facts.seats;
  request->state = Request::State::kRuns;
  request->began = last_;
  request->started = clock_.Now();
  ++running_;
  ++dispatched_;
  seats_in_use_ += seats;
  if (request->queue) {
    request->queue->running.insert(request.get());
    request->queue->seats_in_use += seats;
  } else {
    without_queue_.insert(request.get());
  }
  NoteDemand();
}

void QueueSet::Dispatch(Wakers& wakers) {
  while (waiting_ > 0 && seats_in_use_ < config_.seats && DispatchOne(wakers)) {
  }
}

// False where the next request has no room yet.
bool QueueSet::DispatchOne(Wakers& wakers) {
  SeatSeconds earliest = std::numeric_limits<SeatSeconds>::max();
  size_t best = queues_.size();
  for (size_t i = 0; i < queues_.size(); ++i) {
    robin_ = (robin_ + 1) % queues_.size();
    const Queue& queue = *queues_[robin_];
    if (queue.waiting.empty()) continue;
    const SeatSeconds finish = queue.next_dispatch + queue.waiting.front()->work();
    if (finish >= earliest) continue;
    earliest = finish;
    best = robin_;
  }
  if (best == queues_.size()) return false;
  Queue& queue = *queues_[best];
  const RequestRef request = queue.waiting.front();
  if (!HasRoomFor(request->facts.seats)) return false;
  robin_ = best;
  queue.waiting.pop_front();
  queue.seats_waiting -= request->facts.seats;
  queue.work_waiting -= request->work();
  --waiting_;
  seats_waiting_ -= request->facts.seats;
  Run(request);
  queue.next_dispatch += request->work();
  BoundNextDispatch(queue);
  if (request->decided) wakers.emplace_back(std::exchange(request->decided, {}), true);
  return true;
}

bool QueueSet::Runs(const Request& request) const {
  std::lock_guard lock(mutex_);
  return request.state == Request::State::kRuns;
}

void QueueSet::WhenDecided(Request& request, Decided decided) {
  bool runs = false;
  {
    std::lock_guard lock(mutex_);
    if (request.state == Request::State::kWaits) {
      request.decided = std::move(decided);
      return;
    }
    runs = request.state == Request::State::kRuns;
  }
  decided(runs);
}

void QueueSet::Cancel(const RequestRef& request) {
  Wakers wakers;
  {
    std::lock_guard lock(mutex_);
    SyncTime();
    if (request->state != Request::State::kWaits) return;
    request->state = Request::State::kEnded;
    Queue& queue = *request->queue;
    queue.waiting.erase(request->place);
    queue.seats_waiting -= request->facts.seats;
    queue.work_waiting -= request->work();
    --waiting_;
    seats_waiting_ -= request->facts.seats;
    ++rejected_;
    ++cancelled_;
    NoteDemand();
    BoundNextDispatch(queue);
    if (!queue.active()) --active_queues_;
    RemoveSpareQueues();
    if (request->decided) wakers.emplace_back(std::exchange(request->decided, {}), false);
    Dispatch(wakers);  // it may have been in the way of a narrower one
  }
  Call(std::move(wakers));
}

void QueueSet::Finish(const RequestRef& request) {
  Wakers wakers;
  {
    std::lock_guard lock(mutex_);
    SyncTime();
    if (request->state != Request::State::kRuns) return;
    request->state = Request::State::kEnded;
    const int seats = request->facts.seats;
    --running_;
    seats_in_use_ -= seats;
    if (request->queue) {
      Queue& queue = *request->queue;
      queue.running.erase(request.get());
      queue.seats_in_use -= seats;
      // What it took in truth, in the place of what was thought.
      queue.next_dispatch -= WorkOf(seats, kEstimatedSeconds - Seconds(last_ - request->began));
      BoundNextDispatch(queue);
      if (!queue.active()) --active_queues_;
      RemoveSpareQueues();
    } else {
      without_queue_.erase(request.get());
    }
    NoteDemand();
    Dispatch(wakers);
  }
  Call(std::move(wakers));
}

bool QueueSet::idle() const {
  std::lock_guard lock(mutex_);
  return waiting_ == 0 && running_ == 0;
}

QueueSet::RequestDump QueueSet::DumpOf(const Request& request) {
  RequestDump dump{.flow_schema = std::string(request.facts.flow_schema),
                   .distinguisher = request.facts.distinguisher,
                   .arrived = request.arrived,
                   .started = request.started,
                   .seats = request.facts.seats};
  if (request.facts.context == nullptr) return dump;
  dump.user = request.facts.context->user.name;
  dump.info = request.facts.context->info;
  return dump;
}

QueueSet::Dump QueueSet::MakeDump(bool with_requests) const {
  std::lock_guard lock(mutex_);
  Dump dump{.waiting = waiting_,
            .running = running_,
            .seats_in_use = seats_in_use_,
            .seats_waiting = seats_waiting_,
            .dispatched = dispatched_,
            .rejected = rejected_,
            .cancelled = cancelled_,
            .now = now_};
  for (const QueueRef& queue : queues_) {
    QueueDump& each = dump.queues.emplace_back();
    each.seats_in_use = queue->seats_in_use;
    each.seats_waiting = queue->seats_waiting;
    each.next_dispatch = queue->next_dispatch;
    each.work_waiting = queue->work_waiting;
    each.waiting.resize(queue->waiting.size());
    each.running.resize(queue->running.size());
    if (!with_requests) continue;
    size_t i = 0;
    for (const RequestRef& request : queue->waiting) each.waiting[i++] = DumpOf(*request);
    i = 0;
    for (const Request* request : queue->running) each.running[i++] = DumpOf(*request);
  }
  if (with_requests) {
    for (const Request* request : without_queue_) dump.without_queue.push_back(DumpOf(*request));
  }
  return dump;
}

}  // namespace pipeline
