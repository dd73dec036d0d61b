#include "store/cursor.h"

#include <algorithm>

namespace store {

Cursor::Cursor(std::shared_ptr<Collection> collection, const std::atomic<int64_t>& announced, WatchOptions options,
               absl::AnyInvocable<void()> wake)
    : held_(std::move(collection)),
      collection_(*held_),
      announced_(announced),
      after_(options.after),
      seen_(options.after) {
  waiter_.filter = {std::move(options.prefix), options.exact_key, std::move(options.index)};
  waiter_.wake = std::move(wake);
  std::lock_guard lock(collection_.mutex_);
  next_ = collection_.log_.After(after_);
  collection_.wakes_.Register(waiter_);
}

Cursor::~Cursor() {
  std::lock_guard lock(collection_.mutex_);
  collection_.wakes_.Unregister(waiter_);
}

base::Result<const Event*> Cursor::Next() {
  for (;;) {
    if (chunk_) {
      for (const uint32_t end = chunk_->published(); next_ < chunk_->first() + end;) {
        const Event& event = chunk_->event(static_cast<uint32_t>(next_++ - chunk_->first()));
        // Others of the same transaction may follow.
        seen_ = std::max(seen_, Revision(event.revision().value() - 1));
        if (event.revision() > after_ && waiter_.filter.Matches(event)) return &event;
      }
    }
    base::Result<bool> more = Advance();
    if (!more) return std::unexpected(std::move(more).error());
    if (!*more) return nullptr;
  }
}

base::Result<bool> Cursor::Advance() {
  std::lock_guard lock(collection_.mutex_);
  const EventLog& log = collection_.log_;
  if (idle_) {
    if (waiter_.state == Waiter::State::kArmed) return false;
    next_ = waiter_.resume;
    idle_ = false;
  }
  if (next_ < log.begin()) {
    return base::Fail(base::Code::kCompacted, "the watch fell behind the retained history");
  }
  if (next_ < log.end()) {
    chunk_ = log.ChunkAt(next_);
    return true;
  }
  chunk_ = ChunkRef();
  collection_.wakes_.Arm(waiter_);
  idle_ = true;
  return false;
}

Revision Cursor::position() const {
  if (!idle_) return seen_;
  const Revision announced(announced_.load(std::memory_order_acquire));
  std::lock_guard lock(collection_.mutex_);
  return waiter_.state == Waiter::State::kArmed ? std::max(announced, seen_) : seen_;
}

}  // namespace store
