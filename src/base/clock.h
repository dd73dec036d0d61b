// Clock: the time, through an interface so that tests own it. Thread-safe.
#pragma once

#include <chrono>

namespace base {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::system_clock::time_point Now() const = 0;        // wall time, UTC
  virtual std::chrono::steady_clock::time_point Monotonic() const = 0;  // for durations and deadlines
};

// The machine's clock. One immutable instance for the process.
const Clock& SystemClock();

}  // namespace base
