#include "store/revision_waits.h"

#include <algorithm>
#include <utility>

namespace store {

void RevisionWaits::Add(engine::Revision at_least, Time deadline, Done done) {
  std::lock_guard lock(mutex_);
  waits_.push_back({at_least, deadline, std::move(done)});
  count_.store(waits_.size(), std::memory_order_seq_cst);
}

void RevisionWaits::Finish(absl::FunctionRef<bool(const Wait&)> chosen, const base::Result<>& result) {
  std::vector<Wait> finished;
  {
    std::lock_guard lock(mutex_);
    auto kept = std::partition(waits_.begin(), waits_.end(), [&](const Wait& wait) { return !chosen(wait); });
    finished.assign(std::make_move_iterator(kept), std::make_move_iterator(waits_.end()));
    waits_.erase(kept, waits_.end());
    count_.store(waits_.size(), std::memory_order_seq_cst);
  }
  for (Wait& wait : finished) wait.done(result);
}

void RevisionWaits::Reached(engine::Revision revision) {
  Finish([revision](const Wait& wait) { return wait.at_least <= revision; }, {});
}

void RevisionWaits::Expire(Time now) {
  Finish([now](const Wait& wait) { return wait.deadline <= now; },
         base::Fail(base::Code::kTimeout, "the revision was not reached in time"));
}

void RevisionWaits::Cancel() {
  Finish([](const Wait&) { return true; }, base::Fail(base::Code::kCancelled, "the store is stopping"));
}

RevisionWaits::Time RevisionWaits::next() const {
  std::lock_guard lock(mutex_);
  Time earliest = Time::max();
  for (const Wait& wait : waits_) earliest = std::min(earliest, wait.deadline);
  return earliest;
}

}  // namespace store
