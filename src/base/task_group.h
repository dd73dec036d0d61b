// TaskGroup: Tasks that run beside each other on one thread, a bounded number at a time, for a coroutine that starts
// them one by one and awaits the end of all.
//
//   base::TaskGroup group(64);
//   for (...) { co_await group.Room(); group.Start(One(...)); }
//   co_await group.AllDone();
//
// Threads: one, that of the coroutine that owns it; the tasks end there, too. Ownership: lives in the owner's frame;
// nothing runs any more when it is destroyed (await AllDone() first). An exception of a task is thrown by AllDone().
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "base/task.h"

namespace base {

class TaskGroup {
 public:
  explicit TaskGroup(size_t limit) : limit_(limit) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // Awaited: until fewer than `limit` run.
  auto Room() { return Awaiter{*this, limit_}; }
  // Awaited: until none runs.
  auto AllDone() { return Awaiter{*this, 1}; }

  // Runs `task` on this thread up to its first wait. What it gives is dropped.
  template <class T>
  void Start(Task<T> task) {
    ++running_;
    Spawn(std::move(task), [this](std::optional<T>, std::exception_ptr failure) {
      --running_;
      if (failure && !failure_) failure_ = failure;
      if (awaiter_ && running_ < below_) std::exchange(awaiter_, nullptr).resume();
    });
  }

 private:
  struct Awaiter {
    TaskGroup& group;
    size_t below;
    bool await_ready() const { return group.running_ < below; }
    void await_suspend(std::coroutine_handle<> awaiter) {
      group.awaiter_ = awaiter;
      group.below_ = below;
    }
    void await_resume() {
      if (below == 1 && group.failure_) std::rethrow_exception(std::exchange(group.failure_, nullptr));
    }
  };

  const size_t limit_;
  size_t running_ = 0;
  size_t below_ = 0;
  std::coroutine_handle<> awaiter_;
  std::exception_ptr failure_;
};

}  // namespace base
