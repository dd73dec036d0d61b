#include "pipeline/flowcontrol/priority_levels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipeline/flowcontrol/concurrency_allocation.h"

namespace pipeline {
namespace {

constexpr std::chrono::seconds kAdjustmentPeriod{10};
constexpr double kSmoothing = 0.977;   // what of the old demand stays, a period
constexpr double kWidestShare = 0.15;  // of a level's seats that one request may take
constexpr int64_t kLongestWait = 32;   // seconds that a client is sent away for
constexpr int64_t kManyRefusals = 3;   // a second, over the wait: it grows

int Rounded(double number) { return static_cast<int>(std::lround(number)); }

}  // namespace

int64_t RetryAfter::Refused(int64_t unix_seconds) {
  std::lock_guard lock(mutex_);
  if (unix_seconds == second_) {
    ++count_;
    return wait_;
  }
  history_.emplace_back(second_, count_);
  const int64_t kept = std::min(2 * wait_, kLongestWait);
  std::erase_if(history_, [&](const auto& entry) { return second_ - entry.first > kept; });
  second_ = unix_seconds;
  count_ = 1;
  int64_t refused = 0;
  for (const auto& [second, count] : history_) {
    if (unix_seconds - second <= wait_ && second < unix_seconds) refused += count;
  }
  if (unix_seconds - changed_ >= wait_ && refused >= kManyRefusals * wait_) {
    wait_ = std::min(2 * wait_, kLongestWait);
    changed_ = unix_seconds;
  } else if (refused < wait_ && wait_ > 1) {
    --wait_;
  }
  return wait_;
}

QueueSet::Config PriorityLevels::ConfigOf(const LevelState& state) const {
  const PriorityLevel& level = state.configuration;
  using enum QueueSet::Response;
  return {.response = level.exempt            ? kExempt
                      : level.queues_requests ? kQueue
                                              : kReject,
          .queues = level.queues,
          .hand_size = level.hand_size,
          .queue_length = level.queue_length,
          .seats = state.seats.current};
}

void PriorityLevels::Apply(FlowSchemas& schemas) {
  std::lock_guard lock(mutex_);
  for (auto& [name, level] : schemas.levels()) {
    std::shared_ptr<LevelState>& state = levels_[name];
    if (!state) state = std::make_shared<LevelState>(clock_);
    state->configuration = *level;
    state->configuration.state = nullptr;
    state->quiescing = false;
    level->state = state;
  }
  for (auto& [name, state] : levels_) state->quiescing = !schemas.levels().contains(name);
  ForgetIdle();
  double shares = 0;
  for (const auto& [name, state] : levels_) shares += static_cast<double>(state->configuration.shares);
  nominal_sum_ = 0;
  for (const auto& [name, state] : levels_) {
    const PriorityLevel& level = state->configuration;
    const double share = shares > 0 ? static_cast<double>(level.shares) / shares : 0;
    const int nominal = static_cast<int>(std::ceil(seats_ * share));
    const auto percent = [nominal](int64_t of) { return Rounded(nominal * static_cast<double>(of) / 100); };
    state->seats.nominal = nominal;
    state->seats.least = nominal - percent(level.lendable_percent);
    const int borrowed = level.exempt || !level.borrowing_percent ? seats_ : percent(*level.borrowing_percent);
    state->seats.most = nominal + borrowed;
    nominal_sum_ += nominal;
    const int widest =
        std::max(1, std::min(static_cast<int>(std::ceil(nominal * kWidestShare)), nominal / level.hand_size));
    state->widest.store(level.queues_requests ? widest : 0, std::memory_order_relaxed);
  }
  Divide();
}

void PriorityLevels::Adjust() {
  const int64_t now = clock_.Monotonic().time_since_epoch() / std::chrono::nanoseconds(1);
  int64_t due = next_adjustment_.load(std::memory_order_relaxed);
  if (now < due) return;
  const int64_t next = now + kAdjustmentPeriod / std::chrono::nanoseconds(1);
  if (!next_adjustment_.compare_exchange_strong(due, next, std::memory_order_relaxed)) return;
  std::lock_guard lock(mutex_);
  ForgetIdle();
  Divide();
}

// mutex_ is held.
void PriorityLevels::ForgetIdle() {
  absl::erase_if(levels_, [](const auto& entry) { return entry.second->quiescing && entry.second->queues.idle(); });
}

// mutex_ is held.
void PriorityLevels::Divide() {
  std::vector<LevelState*> limited;
  std::vector<SeatRange> ranges;
  int left = nominal_sum_, least_sum = 0, wanted_sum = 0;
  for (const auto& [name, state] : levels_) {
    LevelState::Seats& seats = state->seats;
    const QueueSet::Demand demand = state->queues.TakeDemand();
    seats.demand_most = demand.most;
    if (demand.seconds > 0) {
      seats.demand_average = demand.average;
      seats.demand_deviation = demand.deviation;
      const double envelope = demand.average + demand.deviation;
      seats.demand_smoothed = std::max(envelope, kSmoothing * seats.demand_smoothed + (1 - kSmoothing) * envelope);
    }
    const int most = Rounded(seats.demand_most);
    if (state->configuration.exempt) {
      seats.current = std::max(seats.least, most);
      seats.target = seats.current;
      left -= seats.current;
      continue;
    }
    const int wanted = std::max(seats.least, std::min(seats.nominal, most));
    seats.target = std::max<double>(wanted, seats.demand_smoothed);
    ranges.push_back({static_cast<double>(wanted), static_cast<double>(seats.most), seats.target});
    limited.push_back(state.get());
    least_sum += seats.least;
    wanted_sum += wanted;
  }
  const auto shares = AllocateSeats(nominal_sum_, ranges);
  for (size_t i = 0; i < limited.size(); ++i) {
    LevelState::Seats& seats = limited[i]->seats;
    if (left <= least_sum) {
      seats.current = seats.least;
    } else if (left <= wanted_sum) {
      const double part = static_cast<double>(left - least_sum) / (wanted_sum - least_sum);
      seats.current = seats.least + Rounded((ranges[i].least - seats.least) * part);
    } else if (shares) {
      seats.current = Rounded((*shares)[i]);
    }
  }
  for (const auto& [name, state] : levels_) state->queues.Configure(ConfigOf(*state));
}

std::vector<PriorityLevels::Level> PriorityLevels::List(bool with_requests) const {
  std::lock_guard lock(mutex_);
  std::vector<Level> list;
  for (const auto& [name, state] : levels_) {
    list.push_back({name, state->quiescing, state->seats, state->queues.MakeDump(with_requests)});
  }
  std::ranges::sort(list, {}, &Level::name);
  return list;
}

}  // namespace pipeline
