// Executor: where a piece of work runs next. One per I/O thread (made in http/), one inline for tests.
// Post and PostAfter may be called from any thread; the work runs on the executor's own thread, in order of posting.
#pragma once

#include <chrono>
#include <memory>

#include "absl/functional/any_invocable.h"

namespace base {

using Work = absl::AnyInvocable<void()>;

// A pending PostAfter. Destroying it or calling Cancel() drops the work if it has not started. Used on the executor's thread.
class Timer {
 public:
  virtual ~Timer() = default;
  virtual void Cancel() = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual void Post(Work work) = 0;
  [[nodiscard]] virtual std::unique_ptr<Timer> PostAfter(std::chrono::milliseconds delay, Work work) = 0;
};

}  // namespace base
