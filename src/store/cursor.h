// Cursor: the store's Watcher, a place in one collection's event log. Reads events in place, without a lock but at
// chunk borders. While it is idle it holds no chunk, and history may go by: what did not wake it does not concern it.
#pragma once

#include <atomic>
#include <memory>

#include "store/collection.h"
#include "store/store.h"

namespace store {

class Cursor final : public Watcher {
 public:
  // Keeps the collection. `announced`: the revision up to which all watchers were told; outlives the cursor.
  Cursor(std::shared_ptr<Collection> collection, const std::atomic<int64_t>& announced, WatchOptions options,
         absl::AnyInvocable<void()> wake);
  ~Cursor() override;

  base::Result<const Event*> Next() override;
  Revision position() const override;

 private:
  // Goes to the next chunk or, at the end of the log, to sleep (false).
  base::Result<bool> Advance();

  const std::shared_ptr<Collection> held_;
  Collection& collection_;
  const std::atomic<int64_t>& announced_;
  const Revision after_;
  Revision seen_;      // every event up to here was looked at
  ChunkRef chunk_;     // being read
  uint64_t next_;      // position to look at next, when not armed
  bool idle_ = false;  // armed, as far as the owner knows
  Waiter waiter_;
};

}  // namespace store
