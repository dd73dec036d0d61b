#include "store/window.h"

#include <algorithm>

namespace store {

void Window::Advance(Time now, engine::Revision revision, uint64_t added) {
  unmarked_ = revision;
  unmarked_added_ = added;
  if (marks_.empty() || now - marks_.back().time >= Step() || added - marks_.back().added >= bytes_ / kMarks) {
    marks_.push_back({now, revision, added});
    unmarked_ = engine::Revision();
  }
}

engine::Revision Window::Due(Time now, uint64_t added, uint64_t dropped) {
  checked_ = now;
  if (unmarked_ != engine::Revision() && (marks_.empty() || now - marks_.back().time >= Step())) {
    marks_.push_back({now, unmarked_, unmarked_added_});
    unmarked_ = engine::Revision();
  }
  engine::Revision due;
  uint64_t kept = added - dropped;
  while (!marks_.empty()) {
    const Mark& oldest = marks_.front();
    if (now - oldest.time < retention_ && kept <= bytes_) break;
    due = oldest.revision;
    kept = added - std::max(oldest.added, dropped);
    marks_.pop_front();
  }
  return due;
}

Window::Time Window::Next(uint64_t added, uint64_t dropped) const {
  if (marks_.empty() && unmarked_ == engine::Revision()) return Time::max();
  return !marks_.empty() && added - dropped > bytes_ ? checked_ : checked_ + Step();
}

}  // namespace store
