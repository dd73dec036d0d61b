#include "controllers/work_queue.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace controllers {
namespace {

// How many keys one turn of the executor starts: others have work there, too.
constexpr int kTurn = 128;

}  // namespace

WorkQueue::WorkQueue(base::Executor& executor, const base::Clock& clock, Options options, Work work)
    : executor_(executor),
      clock_(clock),
      options_(options),
      work_(std::move(work)),
      self_(std::make_shared<WorkQueue*>(this)) {}

WorkQueue::~WorkQueue() { *self_ = nullptr; }

void WorkQueue::Add(std::string_view key) {
  if (stopped_) return;
  const auto [found, added] = entries_.try_emplace(key);
  Entry& entry = found->second;
  if (!added) {
    if (entry.state == State::kRunning) entry.again = true;
    if (entry.state != State::kDelayed) return;
    entry.state = State::kReady;
  }
  ready_.push_back(found->first);
  PumpSoon();
}

void WorkQueue::AddAfter(std::string_view key, Milliseconds delay) {
  if (stopped_) return;
  const TimePoint due = clock_.Monotonic() + delay;
  const auto [found, added] = entries_.try_emplace(key);
  Entry& entry = found->second;
  if (!added && entry.state == State::kReady) return;
  if (!added && entry.due != TimePoint() && entry.due <= due) return;
  if (entry.state == State::kRunning) {
    entry.due = due;
    return;
  }
  Delay(found->first, entry, due);
}

void WorkQueue::Delay(const std::string& key, Entry& entry, TimePoint due) {
  entry.state = State::kDelayed;
  entry.due = due;
  delayed_.emplace(due, key);
  ArmTimer();
}

void WorkQueue::ArmTimer() {
  if (delayed_.empty() || stopped_) return;
  const TimePoint due = delayed_.begin()->first;
  if (timer_ != nullptr && timer_due_ <= due) return;
  timer_due_ = due;
  const auto wait = std::chrono::ceil<Milliseconds>(due - clock_.Monotonic());
  timer_ = executor_.PostAfter(std::max(wait, Milliseconds(0)), [self = self_] {
    if (*self != nullptr) (*self)->OnTimer();
  });
}

void WorkQueue::OnTimer() {
  const TimePoint now = clock_.Monotonic();
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    const auto first = delayed_.begin();
    const auto found = entries_.find(first->second);
    if (found != entries_.end() && found->second.state == State::kDelayed && found->second.due == first->first) {
      found->second.state = State::kReady;
      found->second.due = {};
      ready_.push_back(found->first);
    }
    delayed_.erase(first);
  }
  timer_due_ = TimePoint::max();
  timer_.reset();
  ArmTimer();
  PumpSoon();
}

void WorkQueue::PumpSoon() {
  if (pumping_ || ready_.empty() || running_ >= options_.concurrency) return;
  pumping_ = true;
  executor_.Post([self = self_] {
    if (*self == nullptr) return;
    (*self)->Pump();
    (*self)->pumping_ = false;
    (*self)->PumpSoon();
  });
}

void WorkQueue::Pump() {
  for (int started = 0; started < kTurn && running_ < options_.concurrency && !ready_.empty() && !stopped_; ++started) {
    std::string key = std::move(ready_.front());
    ready_.pop_front();
    Start(std::move(key));
  }
}

void WorkQueue::Start(std::string key) {
  Entry& entry = entries_[key];
  entry.state = State::kRunning;
  entry.again = false;
  entry.due = {};
  ++running_;
  const auto owned = std::make_shared<const std::string>(std::move(key));
  base::Spawn(work_(*owned), [this, owned](std::optional<Outcome> outcome, std::exception_ptr) {
    Finish(*owned, outcome.value_or(Outcome::kRetry));
  });
}

void WorkQueue::Finish(const std::string& key, Outcome outcome) {
  --running_;
  if (stopped_) {
    if (running_ == 0 && idle_) std::exchange(idle_, nullptr)();
    return;
  }
  const auto found = entries_.find(key);
  Entry& entry = found->second;
  const TimePoint asked = entry.due;
  entry.failures = outcome == Outcome::kRetry ? entry.failures + 1 : 0;
  if (entry.again) {
    entry.state = State::kReady;
    ready_.push_back(key);
  } else if (outcome == Outcome::kRetry) {
    const auto doubled = options_.first_delay * (int64_t{1} << std::min<uint32_t>(entry.failures - 1, 20));
    Delay(found->first, entry, clock_.Monotonic() + std::min<Milliseconds>(doubled, options_.longest_delay));
  } else if (asked != TimePoint()) {
    Delay(found->first, entry, asked);
  } else {
    entries_.erase(found);
  }
  PumpSoon();
}

void WorkQueue::Stop(absl::AnyInvocable<void()> idle) {
  stopped_ = true;
  timer_.reset();
  ready_.clear();
  delayed_.clear();
  if (running_ == 0) return idle();
  idle_ = std::move(idle);
}

}  // namespace controllers
