// Who commits: the committer's thread, or the thread that a write comes from, where that has a turn to block.
#include "store/committer.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/turn_to_block.h"
#include "engine/fake_remote_engine.h"
#include "engine/memory/memory_engine.h"
#include "store/store_harness.h"

namespace store {
namespace {

// Of the thread that makes it: keeps what it is asked for until the test says how it goes on.
class FakeTurn final : public base::TurnToBlock {
 public:
  FakeTurn() { SetHere(this); }
  ~FakeTurn() override { SetHere(nullptr); }
  void Take(base::Work work, base::Work otherwise) override {
    ++asked;
    work_ = std::move(work);
    otherwise_ = std::move(otherwise);
  }
  void Block() { std::exchange(work_, nullptr)(); }
  void Decline() { std::exchange(otherwise_, nullptr)(); }

  int asked = 0;

 private:
  base::Work work_, otherwise_;
};

// Answers late: between what it gave to the store and the answer, the test has its say.
class LateEngine final : public engine::Engine {
 public:
  explicit LateEngine(std::function<void()> before_answers) : before_answers_(std::move(before_answers)) {}
  base::Result<engine::Loaded> Start(engine::Feed& feed) override { return engine_->Start(feed); }
  void Commit(std::span<const engine::Transaction> batch, CommitDone done) override {
    engine_->Commit(batch, [&](std::span<const base::Result<Revision>> results) {
      before_answers_();
      done(results);
    });
  }
  bool sole_writer() const override { return true; }
  void ReadRevision(ReadDone done) override { engine_->ReadRevision(std::move(done)); }
  base::Result<> Compact(Revision, std::span<const engine::Superseded>) override { return {}; }
  base::Result<> Health() override { return {}; }

 private:
  const std::unique_ptr<engine::Engine> engine_ = engine::MakeMemoryEngine();
  const std::function<void()> before_answers_;
};

class CommitterTest : public testing::Test {
 protected:
  void Open(std::unique_ptr<engine::Engine> engine) {
    store_ = std::move(*Store::Open(std::move(engine), options_));
    pods_ = store_->Collection("pods").value();
  }
  // The threads that answered, in order, are in answered_.
  void Commit(const std::string& key, std::function<void()> then = {}) {
    store_->Commit({{.collection = pods_, .key = key, .body = MakeBody("x"), .expected = kAnyRevision}},
                   [this, then = std::move(then)](base::Result<Committed> result) {
                     EXPECT_TRUE(result);
                     {
                       std::lock_guard lock(mutex_);
                       answered_.push_back(std::this_thread::get_id());
                       changed_.notify_all();
                     }
                     if (then) then();
                   });
  }
  std::vector<std::thread::id> Await(size_t answers) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answered_.size() >= answers; });
    return answered_;
  }

  FakeClock clock_;
  Options options_{.clock = &clock_};
  CollectionRef pods_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread::id> answered_;  // guarded by mutex_
  std::unique_ptr<Store> store_;           // whose threads use these
};

TEST_F(CommitterTest, AThreadWithATurnCommitsItsWriteAndWhatCameSince) {
  Open(engine::MakeMemoryEngine());
  FakeTurn turn;
  Commit("a");
  std::thread([this] { Commit("b"); }).join();  // has no turn, and finds one promised
  EXPECT_EQ(store_->revision(), Revision(1));
  turn.Block();
  const auto here = std::this_thread::get_id();
  EXPECT_EQ(Await(2), (std::vector{here, here}));
  EXPECT_EQ(turn.asked, 1);
}

TEST_F(CommitterTest, AThreadThatHasMoreToDoLeavesItsWriteToTheCommitter) {
  Open(engine::MakeMemoryEngine());
  FakeTurn turn;
  Commit("a");
  turn.Decline();
  EXPECT_NE(Await(1).front(), std::this_thread::get_id());
  EXPECT_EQ(store_->revision(), Revision(2));
}

TEST_F(CommitterTest, AThreadIsAskedAgainAfterItHadMoreToDo) {
  Open(engine::MakeMemoryEngine());
  FakeTurn turn;
  Commit("a");
  turn.Decline();
  size_t answers = 1;
  Await(answers);
  while (turn.asked == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the committer looks whether there is more
    Commit("b" + std::to_string(answers));
    if (turn.asked == 1) Await(++answers);
    ASSERT_LT(answers, 100u) << "as if others had waited";
  }
  turn.Block();
  Await(answers + 1);
}

TEST_F(CommitterTest, WhereWritesComeBesideEachOtherTheCommitterHasThemForAWhile) {
  Open(engine::MakeMemoryEngine());
  FakeTurn turn;
  Commit("a", [this] { Commit("b"); });  // while the first is being committed
  turn.Block();
  EXPECT_NE(Await(2).back(), std::this_thread::get_id());
  size_t answers = 2;
  while (turn.asked == 1) {
    Commit("c" + std::to_string(answers));
    if (turn.asked == 1) Await(++answers);
    ASSERT_LT(answers, 100'000u) << "never again";
  }
  EXPECT_GT(answers, 50u);
  turn.Block();
  Await(answers + 1);
}

TEST_F(CommitterTest, HistoryIsBoundedWhereAllIsCommittedElsewhere) {
  options_.history_bytes = 10'000;
  Open(engine::MakeMemoryEngine());
  FakeTurn turn;
  for (size_t i = 1; i <= 2000 && store_->oldest() < Revision(1000); ++i) {
    Commit("a");
    turn.Block();
    if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the committer has its own pace
  }
  EXPECT_GE(store_->oldest(), Revision(1000));
}

TEST_F(CommitterTest, HistoryIsKeptUntilItsWriterWasAnswered) {
  options_.history_bytes = 1;
  bool ticks = false;
  Open(std::make_unique<LateEngine>([&] {
    // A wait whose time is over goes in a tick; the one that goes in the next tick says that the first is over.
    for (int i = 0; ticks && i < 2; ++i) {
      std::promise<void> over;
      store_->WaitFor(Revision(1'000'000), clock_.Monotonic(), [&over](base::Result<>) { over.set_value(); });
      over.get_future().wait();
    }
  }));
  FakeTurn turn;
  for (const bool late : {false, true}) {
    ticks = late;
    Commit("a");
    turn.Block();  // expects that the write was made, and what it made
  }
  ticks = false;
  Await(2);
}

TEST_F(CommitterTest, TheStoreOutlivesAPromise) {
  Open(engine::MakeMemoryEngine());
  FakeTurn turn;
  Commit("a");
  std::thread ending([this] { store_ = nullptr; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  turn.Block();
  Await(1);
  ending.join();
}

TEST_F(CommitterTest, NothingBlocksWhereTheEngineIsRemote) {
  Open(std::make_unique<engine::FakeRemoteEngine>(std::make_shared<engine::FakeCluster>(), 1));
  FakeTurn turn;
  Commit("a");
  Await(1);
  EXPECT_EQ(turn.asked, 0);
}

}  // namespace
}  // namespace store
