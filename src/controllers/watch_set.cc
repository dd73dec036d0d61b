#include "controllers/watch_set.h"

#include <algorithm>
#include <utility>

namespace controllers {

// Shared with the store's wakers and with posted work, which may come after the set is gone.
struct WatchSet::Bell : std::enable_shared_from_this<Bell> {
  Bell(base::Executor& the_executor, std::chrono::milliseconds the_gather, WatchSet* the_owner)
      : executor(the_executor), gather(the_gather), owner(the_owner) {}

  // Any thread.
  void Ring() {
    if (rung.exchange(true, std::memory_order_seq_cst)) return;
    executor.Post([self = shared_from_this()] { self->Gather(); });
  }
  void Gather() {
    if (owner == nullptr) return;
    timer = executor.PostAfter(gather, [self = shared_from_this()] { self->Call(); });
  }
  // It stays rung for as long as events come, so that their writers need not wake the executor's thread for each.
  void Call() {
    if (owner == nullptr) return;
    if (!owner->IsDue()) {
      rung.store(false, std::memory_order_seq_cst);
      if (!owner->IsDue() || rung.exchange(true, std::memory_order_seq_cst)) return;
    }
    try {
      owner->ready_();
    } catch (...) {  // what was not done about an event is lost: the next Read says so
      if (owner != nullptr) {
        owner->failed_ = true;
        Gather();
      }
      throw;
    }
    Gather();
  }

  base::Executor& executor;
  const std::chrono::milliseconds gather;
  std::atomic<bool> rung{false};
  // The executor's thread only.
  WatchSet* owner;
  std::unique_ptr<base::Timer> timer;
};

WatchSet::WatchSet(store::Store& store, base::Executor& executor, std::chrono::milliseconds gather,
                   absl::AnyInvocable<void()> ready)
    : store_(store), ready_(std::move(ready)), bell_(std::make_shared<Bell>(executor, gather, this)) {}

WatchSet::~WatchSet() {
  bell_->owner = nullptr;
  bell_->timer.reset();
}

base::Result<> WatchSet::Add(size_t number, store::WatchOptions options) {
  Watch watch{.number = number, .due = std::make_shared<std::atomic<bool>>(true), .watcher = nullptr};
  auto watcher = store_.Watch(std::move(options), [bell = bell_, due = watch.due] {
    due->store(true, std::memory_order_seq_cst);
    bell->Ring();
  });
  if (!watcher) return std::unexpected(std::move(watcher.error()));
  watch.watcher = *std::move(watcher);
  watches_.push_back(std::move(watch));
  bell_->Ring();  // a watcher wakes once it has been asked in vain
  return {};
}

void WatchSet::Remove(size_t number) {
  std::erase_if(watches_, [&](const Watch& watch) { return watch.number == number; });
}

bool WatchSet::IsDue() const {
  return failed_ ||
         std::ranges::any_of(watches_, [](const Watch& watch) { return watch.due->load(std::memory_order_seq_cst); });
}

WatchSet::State WatchSet::Read(size_t most, absl::FunctionRef<void(size_t, const store::Event&)> handle) {
  if (std::exchange(failed_, false)) return State::kLost;
  size_t read = 0;
  for (Watch& watch : watches_) {
    if (!watch.due->exchange(false, std::memory_order_acq_rel)) continue;
    while (true) {
      if (read == most) {
        watch.due->store(true, std::memory_order_release);
        bell_->Ring();
        return State::kMore;
      }
      const base::Result<const store::Event*> event = watch.watcher->Next();
      if (!event) return State::kLost;
      if (*event == nullptr) break;
      ++read;
      handle(watch.number, **event);
    }
  }
  return State::kEmpty;
}

}  // namespace controllers
