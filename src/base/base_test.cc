#include <gtest/gtest.h>

#include <deque>
#include <regex>

#include "base/random.h"
#include "base/task.h"
#include "base/task_group.h"

namespace base {
namespace {

class QueueExecutor final : public Executor {
 public:
  void Post(Work work) override { queue.push_back(std::move(work)); }
  std::unique_ptr<Timer> PostAfter(std::chrono::milliseconds, Work) override { return nullptr; }
  void Run() {
    while (!queue.empty()) {
      Work next = std::move(queue.front());
      queue.pop_front();
      next();
    }
  }
  std::deque<Work> queue;
};

Task<int> Seven() { co_return 7; }
Task<int> Twice() { co_return 2 * co_await Seven(); }
Task<int> Throws() {
  throw std::runtime_error("broken");
  co_return 0;
}

TEST(Task, RunsThroughWithoutLeavingTheThread) {
  int got = 0;
  Spawn(Twice(), [&](std::optional<int> value, std::exception_ptr) { got = *value; });
  EXPECT_EQ(got, 14);
}

TEST(Task, AnExceptionReachesWhoeverAwaits) {
  std::string got;
  Spawn(Throws(), [&](std::optional<int>, std::exception_ptr failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& e) {
      got = e.what();
    }
  });
  EXPECT_EQ(got, "broken");
}

Task<int> AwaitsCallback(Executor& executor, absl::AnyInvocable<void(int)>& pending) {
  co_return 1 + co_await Await<int>(executor, [&](auto done) { pending = std::move(done); });
}

Task<bool> Waits(Executor& executor, int& running, int& most, bool breaks) {
  most = std::max(most, ++running);
  co_await Await<int>(executor, [](auto done) { done(0); });
  --running;
  if (breaks) throw std::runtime_error("broken");
  co_return true;
}

Task<int> RunsMany(Executor& executor, int& most, bool breaks) {
  int running = 0;
  TaskGroup group(3);
  for (int i = 0; i < 10; ++i) {
    co_await group.Room();
    group.Start(Waits(executor, running, most, breaks && i == 4));
  }
  co_await group.AllDone();
  co_return running;
}

TEST(TaskGroup, RunsABoundedNumberAndAwaitsAll) {
  QueueExecutor executor;
  int most = 0, left = -1;
  Spawn(RunsMany(executor, most, false), [&](std::optional<int> value, std::exception_ptr) { left = *value; });
  executor.Run();
  EXPECT_EQ(most, 3);
  EXPECT_EQ(left, 0);
}

TEST(TaskGroup, AnExceptionComesAfterAll) {
  QueueExecutor executor;
  int most = 0;
  bool failed = false;
  Spawn(RunsMany(executor, most, true),
        [&](std::optional<int>, std::exception_ptr failure) { failed = failure != nullptr; });
  executor.Run();
  EXPECT_TRUE(failed);
}

TEST(Task, AwaitResumesOnTheExecutor) {
  QueueExecutor executor;
  absl::AnyInvocable<void(int)> pending;
  int got = 0;
  Spawn(AwaitsCallback(executor, pending), [&](std::optional<int> value, std::exception_ptr) { got = *value; });
  pending(41);
  EXPECT_EQ(got, 0) << "the callback's thread must not run the coroutine";
  executor.Run();
  EXPECT_EQ(got, 42);
}

TEST(Random, UuidIsVersionFour) {
  EXPECT_TRUE(std::regex_match(NewUuid(SystemRandom()),
                               std::regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")));
  EXPECT_NE(NewUuid(SystemRandom()), NewUuid(SystemRandom()));
}

TEST(Random, NameSuffixKeepsToItsAlphabet) {
  EXPECT_TRUE(std::regex_match(NewNameSuffix(SystemRandom(), 500), std::regex("[bcdfghjklmnpqrstvwxz2456789]{500}")));
}

}  // namespace
}  // namespace base
