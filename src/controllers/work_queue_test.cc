#include "controllers/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/controllers_fixture.h"

namespace controllers {
namespace {

using ::testing::ElementsAre;
using Outcome = WorkQueue::Outcome;

// A queue whose work is written down, and waits until it is told to end where `hold` says so.
struct Bench {
  explicit Bench(WorkQueue::Options options = {})
      : queue(executor, executor, options, [this](std::string_view key) { return Work(std::string(key)); }) {}
  base::Task<Outcome> Work(std::string key) {
    worked.push_back(key);
    most = std::max(most, ++running);
    if (hold) co_await base::Await<bool>(executor, [&](auto done) { held.emplace_back(std::move(done)); });
    --running;
    co_return failures-- > 0 ? Outcome::kRetry : Outcome::kDone;
  }
  void Run(size_t times) {
    EXPECT_TRUE(executor.RunUntil([&] { return worked.size() >= times && running == 0; }));
  }

  SteppedExecutor executor;
  std::vector<std::string> worked;
  std::vector<absl::AnyInvocable<void(bool)>> held;
  bool hold = false;
  int failures = 0, running = 0, most = 0;
  WorkQueue queue;
};

TEST(WorkQueue, TakesAKeyOnce) {
  Bench b;
  for (const char* key : {"a", "b", "a", "a"}) b.queue.Add(key);
  b.Run(2);
  b.executor.RunFor(std::chrono::seconds(1));
  EXPECT_THAT(b.worked, ElementsAre("a", "b"));
  EXPECT_EQ(b.queue.size(), 0U);
}

TEST(WorkQueue, WorksAgainOnWhatIsAddedMeanwhile) {
  Bench b;
  b.hold = true;
  b.queue.Add("a");
  EXPECT_TRUE(b.executor.RunUntil([&] { return b.held.size() == 1; }));
  b.queue.Add("a");
  b.queue.Add("a");
  b.hold = false;
  b.held[0](true);
  b.Run(2);
  EXPECT_THAT(b.worked, ElementsAre("a", "a"));
}

TEST(WorkQueue, BoundsWhatRuns) {
  Bench b({.concurrency = 3});
  b.hold = true;
  for (int i = 0; i < 10; ++i) b.queue.Add(std::to_string(i));
  EXPECT_TRUE(b.executor.RunUntil([&] {
    for (auto& done : std::exchange(b.held, {})) done(true);
    return b.worked.size() == 10 && b.running == 0;
  }));
  EXPECT_EQ(b.most, 3);
}

TEST(WorkQueue, TriesAgainEverLater) {
  Bench b({.first_delay = std::chrono::milliseconds(100), .longest_delay = std::chrono::milliseconds(300)});
  b.failures = 4;
  const auto begin = b.executor.Monotonic();
  b.queue.Add("a");
  b.Run(5);
  EXPECT_GE(b.executor.Monotonic() - begin, std::chrono::milliseconds(100 + 200 + 300 + 300));
  EXPECT_EQ(b.queue.size(), 0U);
}

TEST(WorkQueue, TheEarliestDelayCounts) {
  Bench b;
  b.queue.AddAfter("a", std::chrono::seconds(9));
  b.queue.AddAfter("a", std::chrono::seconds(3));
  b.queue.AddAfter("a", std::chrono::seconds(6));
  b.executor.RunFor(std::chrono::seconds(2));
  EXPECT_TRUE(b.worked.empty());
  b.executor.RunFor(std::chrono::seconds(20));
  EXPECT_THAT(b.worked, ElementsAre("a"));
}

TEST(WorkQueue, StopsWhenNothingRuns) {
  Bench b;
  b.hold = true;
  b.queue.Add("a");
  EXPECT_TRUE(b.executor.RunUntil([&] { return b.held.size() == 1; }));
  bool stopped = false;
  b.queue.Stop([&] { stopped = true; });
  b.queue.Add("b");
  EXPECT_FALSE(stopped);
  b.held[0](true);
  EXPECT_TRUE(b.executor.RunUntil([&] { return stopped; }));
  EXPECT_THAT(b.worked, ElementsAre("a"));
}

}  // namespace
}  // namespace controllers
