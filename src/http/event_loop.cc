#include "http/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "http/standby_loop.h"
#include "http/system_failure.h"
#include "http/tell_caught.h"

namespace http {
namespace {

constexpr int kEventsARound = 256;
constexpr int kDeclines = 500;      // turns to block, after one that clients had to be served in
constexpr int kPatientARound = 16;  // about a tenth of a millisecond
constexpr int kHold = 2;            // times what a pass took
constexpr std::chrono::milliseconds kLeastHold(1), kMostHold(10);

// What the calling thread has run: what others did meanwhile does not count.
std::chrono::nanoseconds ThreadTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Whose rounds the deputy runs while the calling thread blocks.
thread_local const EventLoop* loop_left = nullptr;

}  // namespace

// A timer is in `timers_` exactly while `armed`. The loop and the handle share it, since either may go first.
struct EventLoop::TimerEntry {
  base::Work work;
  bool cancelled = false;
  bool armed = false;
  std::multimap<TimePoint, std::shared_ptr<TimerEntry>>::iterator place;
};

class EventLoop::LoopTimer final : public base::Timer {
 public:
  LoopTimer(EventLoop& loop, std::shared_ptr<TimerEntry> entry) : loop_(loop), entry_(std::move(entry)) {}
  ~LoopTimer() override { Cancel(); }
  void Cancel() override {
    if (entry_->cancelled) return;
    entry_->cancelled = true;
    if (!entry_->armed) return;
    entry_->armed = false;
    loop_.timers_.erase(entry_->place);
    entry_->work = nullptr;
  }

 private:
  EventLoop& loop_;
  std::shared_ptr<TimerEntry> entry_;
};

void WakeCell::Wake() {
  if (queued_.exchange(true, std::memory_order_acq_rel)) return;
  self_ = shared_from_this();
  WakeCell* head = loop_.woken_.load(std::memory_order_relaxed);
  do {
    next_ = head;
  } while (!loop_.woken_.compare_exchange_weak(head, this, std::memory_order_seq_cst, std::memory_order_relaxed));
  if (head == nullptr) loop_.Interrupt();
}

base::Result<std::unique_ptr<EventLoop>> EventLoop::Create(OnFailure on_failure) {
  int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) return SystemFailure("epoll_create1");
  int event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  if (event_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event_fd, &event) != 0) {
    auto failed = SystemFailure("eventfd");
    close(epoll_fd);
    if (event_fd >= 0) close(event_fd);
    return failed;
  }
  return std::unique_ptr<EventLoop>(new EventLoop(epoll_fd, event_fd, std::move(on_failure)));
}

EventLoop::EventLoop(int epoll_fd, int event_fd, OnFailure on_failure)
    : epoll_fd_(epoll_fd),
      event_fd_(event_fd),
      on_failure_(std::move(on_failure)),
      thread_(std::this_thread::get_id()),
      now_(std::chrono::steady_clock::now()) {}

EventLoop::~EventLoop() {
  for (WakeCell* cell = woken_.exchange(nullptr); cell != nullptr;) {
    WakeCell* next = cell->next_;
    std::shared_ptr<WakeCell> last = std::move(cell->self_);
    cell = next;
  }
  timers_.clear();
  graveyard_.clear();
  close(event_fd_);
  close(epoll_fd_);
}

// The loop says that it sleeps before it looks at its queues for the last time, the other side queues before it asks
// whether the loop sleeps: one of the two sees the other.
void EventLoop::Interrupt() {
  if (loop_left == this) return;  // what this thread does as it blocks: it comes back to it
  if (!sleeping_.exchange(false, std::memory_order_seq_cst)) return;
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = write(event_fd_, &one, sizeof one);
}

void EventLoop::Post(base::Work work) {
  {
    std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(work));
    if (posted_.size() > 1) return;  // who posted the first has interrupted the loop
  }
  Interrupt();
}

std::unique_ptr<base::Timer> EventLoop::PostAfter(std::chrono::milliseconds delay, base::Work work) {
  auto entry = std::make_shared<TimerEntry>();
  entry->work = std::move(work);
  auto arm = [this, entry, due = std::chrono::steady_clock::now() + delay] {
    if (entry->cancelled) return;
    entry->place = timers_.emplace(due, entry);
    entry->armed = true;
  };
  if (OnLoopThread()) {
    arm();
  } else {
    Post(std::move(arm));
  }
  return std::make_unique<LoopTimer>(*this, std::move(entry));
}

void EventLoop::Stop() {
  stopped_ = true;
  Interrupt();
}

void EventLoop::Run(StandbyLoop* deputy) {
  std::unique_lock rounds(rounds_mutex_);
  thread_ = std::this_thread::get_id();
  if (deputy != nullptr) SetHere(this);
  while (!stopped_) {
    RunOnce(std::chrono::hours(1));
    if (to_block_ != nullptr) BlockOrNot(*deputy);
  }
  SetHere(nullptr);
}

void EventLoop::Take(base::Work work, base::Work otherwise) {
  if (loop_left == this) return otherwise();  // from within another turn, beside which the deputy runs rounds
  if (to_block_ != nullptr || declines_ > 0) {
    if (declines_ > 0) --declines_;
    return otherwise();
  }
  to_block_ = std::move(work);
  otherwise_ = std::move(otherwise);
}

// Where more than one client has something to say the thread goes on with them.
void EventLoop::BlockOrNot(StandbyLoop& deputy) {
  base::Work work = std::exchange(to_block_, nullptr), otherwise = std::exchange(otherwise_, nullptr);
  sleeping_.store(true, std::memory_order_seq_cst);
  if (ready_ > 1 || !held_.empty() || HasWork()) {
    sleeping_.store(false, std::memory_order_relaxed);
    return otherwise();
  }
  away_ = true;
  loop_left = this;
  thread_ = std::thread::id();
  rounds_mutex_.unlock();
  deputy.Attend(*this);
  work();
  back_.store(true, std::memory_order_relaxed);
  rounds_mutex_.lock();
  back_.store(false, std::memory_order_relaxed);
  deputy.Dismiss(*this);
  loop_left = nullptr;
  away_ = false;
  thread_ = std::this_thread::get_id();
}

bool EventLoop::RunForItsThread() {
  const std::unique_lock rounds(rounds_mutex_, std::try_to_lock);
  if (!rounds || !away_) return false;
  thread_ = std::this_thread::get_id();
  do {
    RunOnce(std::chrono::milliseconds(0));
    if (ready_ > 0) declines_ = kDeclines;
    sleeping_.store(true, std::memory_order_seq_cst);
  } while (HasWork() && !stopped_ && !back_.load(std::memory_order_relaxed));
  thread_ = std::thread::id();
  return true;
}

bool EventLoop::HasWork() {
  if (!deferred_.empty() || stopped_ || woken_.load(std::memory_order_seq_cst) != nullptr) return true;
  if (!patient_.empty() || (!held_.empty() && !IsHeld())) return true;
  std::lock_guard lock(posted_mutex_);
  return !posted_.empty();
}

int EventLoop::WaitTime(std::chrono::milliseconds most) const {
  const auto until = [&most](TimePoint due) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - std::chrono::steady_clock::now());
    most = std::clamp(left, std::chrono::milliseconds(0), most);
  };
  if (!timers_.empty()) until(timers_.begin()->first);
  if (!held_.empty()) until(held_until_);
  return static_cast<int>(most.count());
}

template <class F>
void EventLoop::Guarded(F&& run) noexcept {
  try {
    run();
  } catch (...) {
    TellCaught("work of a loop", on_failure_);
  }
}

void EventLoop::RunOnce(std::chrono::milliseconds wait) {
  epoll_event events[kEventsARound];
  sleeping_.store(true, std::memory_order_seq_cst);
  int count = epoll_wait(epoll_fd_, events, kEventsARound, HasWork() ? 0 : WaitTime(wait));
  sleeping_.store(false, std::memory_order_relaxed);
  ready_ = count;
  now_ = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    if (events[i].data.ptr == nullptr) continue;
    Guarded([&] { static_cast<FdHandler*>(events[i].data.ptr)->OnReady(events[i].events); });
  }
  RunPosted();
  RunTimers();
  RunWoken();
  RunDeferred();
  RunPatient();
  graveyard_.clear();
}

void EventLoop::RunPosted() {
  {
    std::lock_guard lock(posted_mutex_);
    running_.swap(posted_);
  }
  for (base::Work& work : running_) Guarded(work);
  running_.clear();
}

void EventLoop::RunTimers() {
  while (!timers_.empty() && timers_.begin()->first <= now_) {
    std::shared_ptr<TimerEntry> entry = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    entry->armed = false;
    base::Work work = std::move(entry->work);
    Guarded(work);
  }
}

void EventLoop::RunWoken() {
  WakeCell* newest = woken_.exchange(nullptr, std::memory_order_seq_cst);
  WakeCell* oldest = nullptr;
  while (newest != nullptr) {  // who was woken first is served first
    WakeCell* next = std::exchange(newest->next_, oldest);
    oldest = std::exchange(newest, next);
  }
  while (oldest != nullptr) {
    WakeCell* next = oldest->next_;
    std::shared_ptr<WakeCell> cell = std::move(oldest->self_);
    cell->queued_.store(false, std::memory_order_release);  // before OnWake looks: a later wake must queue again
    waking_ = true;
    if (cell->target_ != nullptr) Guarded([&] { cell->target_->OnWake(); });
    waking_ = false;
    oldest = next;
  }
}

void EventLoop::Defer(Deferred& deferred) {
  if (deferred.queued_) return;
  if (!waking_) {
    deferred.queued_ = true;
    deferred_.push_back(&deferred);
  } else if (!deferred.patient_) {
    deferred.patient_ = true;
    (deferred.served_ == pass_ ? held_ : patient_).push_back(&deferred);
  }
}

void EventLoop::Forget(Deferred& deferred) {
  if (deferred.patient_) {
    deferred.patient_ = false;
    std::ranges::replace(patient_, &deferred, nullptr);
    std::ranges::replace(held_, &deferred, nullptr);
  }
  if (!deferred.queued_) return;
  deferred.queued_ = false;
  std::ranges::replace(deferred_, &deferred, nullptr);
  std::ranges::replace(flushing_, &deferred, nullptr);
}

void EventLoop::RunDeferred() {
  flushing_.swap(deferred_);
  for (size_t i = 0; i < flushing_.size(); ++i) {
    Deferred* deferred = std::exchange(flushing_[i], nullptr);
    if (deferred == nullptr) continue;
    deferred->queued_ = false;
    Guarded([&] { deferred->RunDeferred(); });
  }
  flushing_.clear();
}

void EventLoop::RunPatient() {
  if (patient_.empty() && !IsHeld()) {
    ++pass_;
    pass_took_ = {};
    patient_.swap(held_);
  }
  if (patient_.empty()) return;
  const std::chrono::nanoseconds begin = ThreadTime();
  for (int run = 0; run < kPatientARound && !patient_.empty();) {
    Deferred* deferred = patient_.front();
    patient_.pop_front();
    if (deferred == nullptr) continue;
    deferred->patient_ = false;
    deferred->served_ = pass_;
    Guarded([&] { deferred->RunDeferred(); });
    ++run;
  }
  pass_took_ += ThreadTime() - begin;
  const auto hold = std::min<std::chrono::nanoseconds>(kHold * pass_took_, kMostHold);
  if (hold >= kLeastHold) held_until_ = std::chrono::steady_clock::now() + hold;
}

base::Result<> EventLoop::Add(int fd, FdHandler& handler) {
  epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.ptr = &handler}};
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) != 0) return SystemFailure("epoll_ctl");
  return {};
}

void EventLoop::Remove(int fd) { epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr); }

std::string_view EventLoop::http_date() {
  auto second = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  if (second != date_second_) {
    date_second_ = second;
    time_t time = second.count();
    tm parts{};
    gmtime_r(&time, &parts);
    char text[40];
    date_.assign(text, strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts));
  }
  return date_;
}

}  // namespace http
