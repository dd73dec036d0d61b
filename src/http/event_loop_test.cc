#include "http/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ctime>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/turn_to_block.h"
#include "http/io_threads.h"

namespace http {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

class EventLoopTest : public ::testing::Test {
 protected:
  void Round(milliseconds wait = milliseconds(0)) { loop_->RunOnce(wait); }
  std::unique_ptr<EventLoop> loop_ = std::move(*EventLoop::Create());
  std::vector<std::string> log_;
};

TEST_F(EventLoopTest, RunsPostedWorkInOrderAndWhatItPostsInTheNextRound) {
  loop_->Post([this] {
    log_.push_back("a");
    loop_->Post([this] { log_.push_back("c"); });
  });
  loop_->Post([this] { log_.push_back("b"); });
  Round();
  EXPECT_THAT(log_, ElementsAre("a", "b"));
  Round();
  EXPECT_THAT(log_, ElementsAre("a", "b", "c"));
}

TEST_F(EventLoopTest, TimersRunWhenDueInOrderUnlessDropped) {
  auto second = loop_->PostAfter(milliseconds(2), [this] { log_.push_back("second"); });
  auto first = loop_->PostAfter(milliseconds(1), [this] { log_.push_back("first"); });
  auto cancelled = loop_->PostAfter(milliseconds(1), [this] { log_.push_back("cancelled"); });
  loop_->PostAfter(milliseconds(1), [this] { log_.push_back("destroyed"); }).reset();
  cancelled->Cancel();
  while (log_.size() < 2) Round(milliseconds(100));
  EXPECT_THAT(log_, ElementsAre("first", "second"));
}

TEST_F(EventLoopTest, ATimerMayBeSetFromAnotherThreadAndDroppedBeforeItArms) {
  std::unique_ptr<base::Timer> kept, dropped;
  std::thread([&] {
    kept = loop_->PostAfter(milliseconds(1), [this] { log_.push_back("kept"); });
    dropped = loop_->PostAfter(milliseconds(1), [this] { log_.push_back("dropped"); });
  }).join();
  dropped.reset();
  while (log_.empty()) Round(milliseconds(100));
  EXPECT_THAT(log_, ElementsAre("kept"));
}

class LoggingTarget final : public WakeTarget {
 public:
  LoggingTarget(std::vector<std::string>& log, std::string name) : log_(log), name_(std::move(name)) {}
  void OnWake() override { log_.push_back(name_); }

 private:
  std::vector<std::string>& log_;
  std::string name_;
};

TEST_F(EventLoopTest, WakesAreOneARoundAndInOrder) {
  LoggingTarget a(log_, "a"), b(log_, "b"), c(log_, "c");
  auto to_a = std::make_shared<WakeCell>(*loop_, a), to_b = std::make_shared<WakeCell>(*loop_, b);
  auto to_c = std::make_shared<WakeCell>(*loop_, c);
  for (int i = 0; i < 3; ++i) {
    to_b->Wake();
    to_a->Wake();
    to_c->Wake();
  }
  to_c->Detach();
  Round();
  EXPECT_THAT(log_, ElementsAre("b", "a"));
  to_a->Wake();
  Round();
  EXPECT_THAT(log_, ElementsAre("b", "a", "a"));
}

// Asks for a deferred run when it is woken, as a connection with a watch does.
class Watching final : public WakeTarget, public Deferred {
 public:
  Watching(EventLoop& loop, std::vector<std::string>& log, std::string name)
      : loop_(loop), log_(log), name_(std::move(name)) {}
  void OnWake() override { loop_.Defer(*this); }
  void RunDeferred() override { log_.push_back(name_); }

 private:
  EventLoop& loop_;
  std::vector<std::string>& log_;
  std::string name_;
};

TEST_F(EventLoopTest, RequestsGoBeforeManyWatches) {
  std::vector<std::unique_ptr<Watching>> watches;
  std::vector<std::shared_ptr<WakeCell>> cells;
  for (int i = 0; i < 40; ++i) {
    watches.push_back(std::make_unique<Watching>(*loop_, log_, std::to_string(i)));
    cells.push_back(std::make_shared<WakeCell>(*loop_, *watches.back()));
    cells.back()->Wake();
  }
  Round();
  const size_t first = log_.size();
  EXPECT_GT(first, 0u);
  EXPECT_LT(first, 40u) << "a round serves some of them";
  Watching request(*loop_, log_, "request");
  loop_->Defer(request);
  loop_->Defer(*watches[38]);  // it has a request as well
  loop_->Forget(*watches[39]);
  cells[0]->Wake();  // it goes to the end
  for (int round = 0; round < 5; ++round) Round();
  EXPECT_EQ(log_[first], "request");
  EXPECT_EQ(log_[first + 1], "38");
  EXPECT_EQ(log_[first + 2], std::to_string(first)) << "the rest in order";
  EXPECT_EQ(log_.back(), "0");
  EXPECT_EQ(std::ranges::count(log_, "39"), 0);
  EXPECT_EQ(std::ranges::count(log_, "7"), 1);
}

// Takes its time, as hundreds of connections do.
class Slow final : public WakeTarget, public Deferred {
 public:
  explicit Slow(EventLoop& loop) : loop_(loop) {}
  void OnWake() override { loop_.Defer(*this); }
  void RunDeferred() override {
    ++runs;
    const std::clock_t begin = std::clock();
    while (std::clock() - begin < CLOCKS_PER_SEC / 100) {
    }
    ended = std::chrono::steady_clock::now();
  }
  int runs = 0;
  std::chrono::steady_clock::time_point ended;

 private:
  EventLoop& loop_;
};

TEST_F(EventLoopTest, WatchesWaitAfterALongPassAndRequestsDoNot) {
  Slow watch(*loop_), other(*loop_);
  Watching request(*loop_, log_, "request");
  auto cell = std::make_shared<WakeCell>(*loop_, watch), other_cell = std::make_shared<WakeCell>(*loop_, other);
  cell->Wake();
  Round();
  ASSERT_EQ(watch.runs, 1);
  other_cell->Wake();
  Round();
  EXPECT_EQ(other.runs, 1) << "it was not served yet";
  cell->Wake();
  loop_->Defer(request);
  Round();
  cell->Wake();  // these two are one
  const bool in_time = std::chrono::steady_clock::now() - other.ended < std::chrono::milliseconds(8);
  EXPECT_THAT(log_, ElementsAre("request"));
  if (in_time) EXPECT_EQ(watch.runs, 1);
  int rounds = 0;
  for (; watch.runs < 2 && rounds < 20; ++rounds) loop_->RunOnce(std::chrono::milliseconds(1000));
  EXPECT_EQ(watch.runs, 2);
  EXPECT_LT(rounds, 20) << "the loop sleeps until then";
}

TEST_F(EventLoopTest, ACellLivesUntilItsWakeIsOver) {
  LoggingTarget target(log_, "woken");
  auto cell = std::make_shared<WakeCell>(*loop_, target);
  std::weak_ptr<WakeCell> watch = cell;
  cell->Wake();
  cell.reset();
  EXPECT_FALSE(watch.expired());
  Round();
  EXPECT_THAT(log_, ElementsAre("woken"));
  EXPECT_TRUE(watch.expired());
}

TEST_F(EventLoopTest, WakesFromManyThreadsAllArrive) {
  auto io = std::move(*IoThreads::Start(1));
  struct Counter final : WakeTarget {
    std::atomic<int> seen = 0, wanted = 0;
    std::promise<void> all;
    void OnWake() override {
      if (seen.exchange(wanted.load()) < 4000 && seen == 4000) all.set_value();
    }
  } counter;
  auto cell = std::make_shared<WakeCell>(io->loop(0), counter);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        ++counter.wanted;
        cell->Wake();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  counter.all.get_future().wait();  // the last wake is never lost
  EXPECT_EQ(counter.seen, 4000);
}

class LoggingDeferred final : public Deferred {
 public:
  LoggingDeferred(EventLoop& loop, std::vector<std::string>& log, int again) : loop_(loop), log_(log), again_(again) {}
  ~LoggingDeferred() override { loop_.Forget(*this); }
  void RunDeferred() override {
    log_.push_back("run");
    if (again_-- > 0) loop_.Defer(*this);
  }

 private:
  EventLoop& loop_;
  std::vector<std::string>& log_;
  int again_;
};

TEST_F(EventLoopTest, DeferredWorkRunsOnceARound) {
  LoggingDeferred deferred(*loop_, log_, 1);
  for (int i = 0; i < 3; ++i) loop_->Defer(deferred);
  Round();
  EXPECT_THAT(log_, ElementsAre("run"));
  Round();
  EXPECT_THAT(log_, ElementsAre("run", "run"));
  loop_->Defer(deferred);
  loop_->Forget(deferred);
  Round();
  EXPECT_EQ(log_.size(), 2);
}

TEST_F(EventLoopTest, DescriptorsAreToldOfOnce) {
  struct Handler final : FdHandler {
    uint32_t events = 0;
    int calls = 0;
    void OnReady(uint32_t epoll_events) override {
      events |= epoll_events;
      ++calls;
    }
  } handler;
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
  ASSERT_TRUE(loop_->Add(pair[0], handler));
  Round();
  EXPECT_NE(handler.events & EPOLLOUT, 0u);
  ASSERT_EQ(write(pair[1], "x", 1), 1);
  Round();
  EXPECT_NE(handler.events & EPOLLIN, 0u);
  int calls = handler.calls;
  Round();  // edge-triggered: nothing new, nothing told
  EXPECT_EQ(handler.calls, calls);
  loop_->Remove(pair[0]);
  close(pair[0]);
  close(pair[1]);
}

TEST_F(EventLoopTest, TheDateIsInTheFormOfHttp) {
  EXPECT_THAT(std::string(loop_->http_date()),
              ::testing::MatchesRegex("[A-Z][a-z]+, [0-9]+ [A-Z][a-z]+ [0-9]+ [0-9]+:[0-9]+:[0-9]+ GMT"));
}

// Runs `work` on the loop's thread and waits until it has.
void RunOn(EventLoop& loop, base::Work work) {
  std::promise<void> done;
  loop.Post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

TEST(TurnToBlock, IsOfTheThreadsThatHaveADeputy) {
  EXPECT_EQ(base::TurnToBlock::Here(), nullptr);
  auto io = std::move(*IoThreads::Start(2));
  base::TurnToBlock* turns[2] = {};
  for (int i : {0, 1}) RunOn(io->loop(i), [&turn = turns[i]] { turn = base::TurnToBlock::Here(); });
  EXPECT_NE(turns[0], nullptr);
  EXPECT_NE(turns[1], nullptr);
  EXPECT_NE(turns[0], turns[1]);
}

// One turn to block of a loop's thread, which lasts until the test ends it.
class LongTurn {
 public:
  explicit LongTurn(EventLoop& loop) {
    RunOn(loop, [this, &loop] {
      thread_ = std::this_thread::get_id();
      base::TurnToBlock::Here()->Take(
          [this, &loop] {
            EXPECT_FALSE(loop.OnLoopThread());
            blocked_.set_value(true);
            ended_.get_future().wait();
            over_ = true;
          },
          [this] { blocked_.set_value(false); });
    });
  }
  bool blocks() { return blocked_.get_future().get(); }
  void End() { ended_.set_value(); }
  bool over() const { return over_; }
  std::thread::id thread() const { return thread_; }

 private:
  std::promise<bool> blocked_;
  std::promise<void> ended_;
  std::atomic<bool> over_ = false;
  std::thread::id thread_;
};

TEST(TurnToBlock, TheDeputyServesWhatComesMeanwhile) {
  auto io = std::move(*IoThreads::Start(1));
  LongTurn turn(io->loop(0));
  ASSERT_TRUE(turn.blocks());
  std::thread::id served;
  for (int i = 0; i < 3; ++i) RunOn(io->loop(0), [&] { served = std::this_thread::get_id(); });
  EXPECT_NE(served, turn.thread());
  EXPECT_FALSE(turn.over());
  turn.End();
  while (served != turn.thread()) RunOn(io->loop(0), [&] { served = std::this_thread::get_id(); });
  EXPECT_TRUE(turn.over());
}

TEST(TurnToBlock, TheDeputyReadsSocketsAndKeepsTimers) {
  auto io = std::move(*IoThreads::Start(1));
  EventLoop& loop = io->loop(0);
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets), 0);
  struct Reader final : FdHandler {
    void OnReady(uint32_t events) override {
      char byte;
      if ((events & EPOLLIN) != 0 && read(fd, &byte, 1) == 1) got.set_value(std::this_thread::get_id());
    }
    int fd = -1;
    std::promise<std::thread::id> got;
  } reader;
  reader.fd = sockets[0];
  std::promise<void> due;
  std::unique_ptr<base::Timer> timer;
  RunOn(loop, [&] {
    ASSERT_TRUE(loop.Add(sockets[0], reader));
    timer = loop.PostAfter(milliseconds(20), [&] { due.set_value(); });
  });
  RunOn(loop, [] {});  // what the socket had to say at first is said
  LongTurn turn(loop);
  ASSERT_TRUE(turn.blocks());
  due.get_future().wait();
  ASSERT_EQ(write(sockets[1], "x", 1), 1);
  EXPECT_NE(reader.got.get_future().get(), turn.thread());
  EXPECT_FALSE(turn.over());
  turn.End();
  RunOn(loop, [&] { loop.Remove(sockets[0]); });
  close(sockets[0]);
  close(sockets[1]);
}

TEST(TurnToBlock, IsNotGivenWhereMoreIsToBeDone) {
  auto io = std::move(*IoThreads::Start(1));
  std::promise<bool> blocked;
  io->loop(0).Post([&] {
    base::TurnToBlock::Here()->Take([&] { blocked.set_value(true); }, [&] { blocked.set_value(false); });
    io->loop(0).Post([] {});
  });
  EXPECT_FALSE(blocked.get_future().get());
}

TEST(TurnToBlock, IsNotGivenForAWhileAfterTheDeputyHadToServe) {
  auto io = std::move(*IoThreads::Start(1));
  const auto is_given = [&] {
    std::promise<bool> blocked;
    RunOn(io->loop(0), [&] {
      base::TurnToBlock::Here()->Take([&] { blocked.set_value(true); }, [&] { blocked.set_value(false); });
    });
    return blocked.get_future().get();
  };
  LongTurn turn(io->loop(0));
  ASSERT_TRUE(turn.blocks());
  RunOn(io->loop(0), [] {});
  turn.End();
  while (!turn.over()) std::this_thread::yield();
  int declined = 0;
  while (!is_given() && declined < 10'000) ++declined;
  EXPECT_GT(declined, 50);
  EXPECT_LT(declined, 10'000);
}

TEST(TurnToBlock, IsNotGivenToWhatBlocksAlready) {
  auto io = std::move(*IoThreads::Start(1));
  std::promise<bool> blocked;
  io->loop(0).Post([&] {
    base::TurnToBlock* turn = base::TurnToBlock::Here();
    turn->Take([&, turn] { turn->Take([&] { blocked.set_value(true); }, [&] { blocked.set_value(false); }); },
               [&] { ADD_FAILURE() << "nothing else was to be done"; });
  });
  EXPECT_FALSE(blocked.get_future().get());
}

TEST(TurnToBlock, TheDeputyGivesTheLoopBackThoughMoreIsToBeDone) {
  auto io = std::move(*IoThreads::Start(1));
  EventLoop& loop = io->loop(0);
  LongTurn turn(loop);
  ASSERT_TRUE(turn.blocks());
  std::promise<void> served, back;
  std::function<void()> go_on = [&, first = true]() mutable {
    if (std::exchange(first, false)) served.set_value();
    if (std::this_thread::get_id() == turn.thread()) return back.set_value();
    loop.Post([&go_on] { go_on(); });
  };
  loop.Post([&go_on] { go_on(); });
  served.get_future().wait();
  turn.End();
  back.get_future().wait();
}

// A disk that hangs: what one loop's thread is at takes as long as the test, and nobody on the loop waits for it.
TEST(TurnToBlock, NobodyWaitsForALongOne) {
  auto io = std::move(*IoThreads::Start(2));
  EventLoop& loop = io->loop(0);
  LongTurn turn(loop);
  ASSERT_TRUE(turn.blocks());
  struct Watch final : WakeTarget {
    void OnWake() override { woken.set_value(); }
    std::promise<void> woken;
  };
  for (int i = 0; i < 200; ++i) {
    Watch watch;
    std::shared_ptr<WakeCell> cell;
    RunOn(loop, [&] { cell = std::make_shared<WakeCell>(loop, watch); });
    RunOn(io->loop(1), [&] { cell->Wake(); });
    watch.woken.get_future().wait();
    std::promise<void> due;
    std::unique_ptr<base::Timer> timer;
    if (i % 100 == 0) {
      RunOn(loop, [&] { timer = loop.PostAfter(milliseconds(1), [&] { due.set_value(); }); });
      due.get_future().wait();
    }
    RunOn(loop, [&] {
      EXPECT_TRUE(loop.OnLoopThread());
      EXPECT_EQ(base::TurnToBlock::Here(), nullptr);
      timer.reset();
      cell->Detach();
    });
  }
  EXPECT_FALSE(turn.over());
  turn.End();
}

TEST(TurnToBlock, LoopsEndWhileOneBlocks) {
  auto io = std::move(*IoThreads::Start(2));
  auto turn = std::make_unique<LongTurn>(io->loop(0));
  ASSERT_TRUE(turn->blocks());
  std::thread ending([&] { io = nullptr; });
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(turn->over());
  turn->End();
  ending.join();
  EXPECT_TRUE(turn->over());
}

TEST(TurnToBlock, NoWakeIsLostBetweenTheTwo) {
  auto io = std::move(*IoThreads::Start(1));
  EventLoop& loop = io->loop(0);
  std::atomic<int> posted = 0, ran = 0, blocked = 0;
  std::atomic<bool> stop = false;
  std::thread poster([&] {
    while (!stop) {
      ++posted;
      loop.Post([&] {
        ++ran;
        base::TurnToBlock::Here() == nullptr ? void() : base::TurnToBlock::Here()->Take([&] { ++blocked; }, [] {});
      });
      const int sent = posted;
      while (ran < sent) std::this_thread::yield();  // for ever, if one is lost
    }
  });
  while (blocked < 200) std::this_thread::yield();
  stop = true;
  poster.join();
  EXPECT_EQ(posted, ran);
}

TEST(EventLoopFailures, WhatOneThrowsStopsNobodyElse) {
  struct Throws : FdHandler, Deferred, WakeTarget {
    void OnReady(uint32_t) override { throw std::runtime_error("ready"); }
    void RunDeferred() override { throw std::runtime_error("deferred"); }
    void OnWake() override { throw std::bad_alloc(); }
  } thrower;
  std::vector<std::string> told;
  const auto loop = std::move(*EventLoop::Create([&](std::string_view failure) { told.emplace_back(failure); }));
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets), 0);
  ASSERT_TRUE(loop->Add(sockets[0], thrower));
  bool ran = false;
  const auto timer = loop->PostAfter(milliseconds(0), [] { throw std::runtime_error("timer"); });
  loop->Post([] { throw std::runtime_error("posted"); });
  loop->Post([&] { ran = true; });
  loop->Defer(thrower);
  auto cell = std::make_shared<WakeCell>(*loop, thrower);
  cell->Wake();
  for (int round = 0; round < 5; ++round) loop->RunOnce(milliseconds(2));
  EXPECT_TRUE(ran);
  const std::string work = "work of a loop: ";
  EXPECT_THAT(told, ::testing::IsSupersetOf(
                        {work + "ready", work + "posted", work + "timer", work + "deferred", work + "std::bad_alloc"}));
  loop->Remove(sockets[0]);
  for (int fd : sockets) close(fd);
}

}  // namespace
}  // namespace http
