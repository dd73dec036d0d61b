// Window: how much history is kept: by age, and by the bytes it holds in memory. Says up to which revision to compact.
// Threads: none of its own; the store's apply lock guards it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "engine/engine.h"

namespace store {

class Window {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr size_t kMarks = 64;  // a window is cut in about as many steps

  Window(std::chrono::milliseconds retention, uint64_t bytes) : retention_(retention), bytes_(bytes) {}

  // `revision` was written by now, when history had grown to `added` bytes since the beginning.
  void Advance(Time now, engine::Revision revision, uint64_t added);
  // The revision before which history may go: all of it that is too old, and more while it holds too much. 0: none.
  engine::Revision Due(Time now, uint64_t added, uint64_t dropped);
  // When Due() has to be asked again: in the past, where it holds too much.
  Time Next(uint64_t added, uint64_t dropped) const;

 private:
  struct Mark {
    Time time;
    engine::Revision revision;
    uint64_t added;
  };
  std::chrono::milliseconds Step() const { return retention_ / kMarks + std::chrono::milliseconds(1); }

  const std::chrono::milliseconds retention_;
  const uint64_t bytes_;
  std::deque<Mark> marks_;     // oldest first
  engine::Revision unmarked_;  // written after the last mark; 0 none
  uint64_t unmarked_added_ = 0;
  Time checked_{};
};

}  // namespace store
