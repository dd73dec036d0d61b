// Task<T>: a lazy coroutine with one awaiter, and the bridge between callbacks and coroutines. The async base of every floor
// from `store` up: a handler is a Task, and one that has nothing to wait for runs through without leaving its thread.
//
// Threads: a Task runs on the thread that resumes it. Await() resumes on the Executor it is given, whatever thread the
// callback came from. Ownership: the Task owns its frame; destroying it before it ended destroys the frame, so whoever
// holds a started Task keeps it until it is done (Spawn does). Arguments of a coroutine are taken by value, or by a reference
// whose owner outlives the awaiting expression. An exception of a library travels to the awaiter.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "base/executor.h"

namespace base {

template <class T = void>
class Task;

namespace task_internal {

struct FinalAwaiter {
  bool await_ready() noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) noexcept {
    return done.promise().awaiter ? done.promise().awaiter : std::noop_coroutine();
  }
  void await_resume() noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> awaiter;
  std::exception_ptr failure;
  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() { failure = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& result) { value.emplace(std::forward<U>(result)); }
  T Take() {
    if (failure) std::rethrow_exception(failure);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() {}
  void Take() {
    if (failure) std::rethrow_exception(failure);
  }
};

}  // namespace task_internal

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = task_internal::Promise<T>;
  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    frame_.promise().awaiter = awaiter;
    return frame_;
  }
  T await_resume() { return frame_.promise().Take(); }

 private:
  std::coroutine_handle<promise_type> frame_;
};

namespace task_internal {
template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

// A coroutine that nobody awaits: it starts at once and frees itself at its end.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

template <class T, class Done>
Detached RunDetached(Task<T> task, Done done) {
  std::optional<T> value;
  std::exception_ptr failure;
  try {
    value.emplace(co_await std::move(task));
  } catch (...) {
    failure = std::current_exception();
  }
  done(std::move(value), failure);
}
}  // namespace task_internal

// Starts `task` on this thread. `done(std::optional<T> value, std::exception_ptr failure)` is called once at its end, on the
// thread where it ends; exactly one of the two is set.
template <class T, class Done>
void Spawn(Task<T> task, Done done) {
  task_internal::RunDetached(std::move(task), std::move(done));
}

// Awaits an operation that takes a callback: `start(callback)` begins it, and the callback (called once, from any thread, also
// from inside start) gives the value; the coroutine goes on on `executor`. The callback must be called, or the frame leaks.
//   Result<Revision> r = co_await Await<Result<Revision>>(executor, [&](auto done) { store.Commit(txn, std::move(done)); });
template <class T, class Start>
auto Await(Executor& executor, Start start) {
  struct Awaiter {
    Executor& executor;
    Start start;
    std::optional<T> value;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> awaiter) {
      // `this` lives in the awaiting frame, which stays suspended until the posted work resumes it. `start` is moved out first,
      // because the frame may be gone before start() returns.
      Start begin = std::move(start);
      begin([this, awaiter](T result) {
        value.emplace(std::move(result));
        executor.Post([awaiter] { awaiter.resume(); });
      });
    }
    T await_resume() { return std::move(*value); }
  };
  return Awaiter{executor, std::move(start), std::nullopt};
}

}  // namespace base
