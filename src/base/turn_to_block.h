// TurnToBlock: where a thread that serves others may do what blocks, such as the sync of a disk, without keeping them
// waiting and without handing it to another thread, which would cost both a wake-up.
#pragma once

#include "base/executor.h"

namespace base {

class TurnToBlock {
 public:
  virtual ~TurnToBlock() = default;
  // On the thread whose turn it is. When the work it is at is done: `work` on this thread, while another one takes its
  // place; or, if more waits for this thread then, `otherwise`, which does not block. Exactly one of them is called. Of
  // what asks while it has its turn, `otherwise` is.
  virtual void Take(Work work, Work otherwise) = 0;

  // Of the calling thread; null where nobody would take its place.
  static TurnToBlock* Here() { return here_; }

 protected:
  static void SetHere(TurnToBlock* turn) { here_ = turn; }

 private:
  static inline thread_local TurnToBlock* here_ = nullptr;
};

}  // namespace base
