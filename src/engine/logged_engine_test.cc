#include "engine/logged_engine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>

namespace engine {
namespace {

class StandingClock final : public base::Clock {
 public:
  std::chrono::system_clock::time_point Now() const override { return {}; }
  std::chrono::steady_clock::time_point Monotonic() const override { return now; }
  std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
};

class FullDisk final : public Engine {
 public:
  explicit FullDisk(base::Result<>& state) : state_(state) {}
  base::Result<Loaded> Start(Feed&) override { return Loaded{}; }
  void Commit(std::span<const Transaction>, CommitDone done) override {
    const base::Result<Revision> result =
        state_ ? base::Result<Revision>(Revision(1)) : std::unexpected(state_.error());
    done(std::span(&result, 1));
  }
  bool sole_writer() const override { return true; }
  void ReadRevision(ReadDone done) override { done(Revision(1)); }
  base::Result<> Compact(Revision, std::span<const Superseded>) override { return state_; }
  base::Result<> Health() override { return state_; }

 private:
  base::Result<>& state_;
};

class LoggedEngineTest : public testing::Test {
 protected:
  ~LoggedEngineTest() override {
    for (int end : pipe_) close(end);
  }
  // What was logged since the last time.
  std::string Logged() {
    logger_.Flush();
    write(pipe_[1], "$", 1);
    std::string text;
    for (char c = 0; read(pipe_[0], &c, 1) == 1 && c != '$';) text += c;
    return text;
  }
  bool Commit() {
    bool done = false;
    engine_->Commit({}, [&](std::span<const base::Result<Revision>> results) { done = results[0].has_value(); });
    return done;
  }

  int OpenPipe() { return pipe(pipe_.data()) == 0 ? pipe_[1] : -1; }

  std::array<int, 2> pipe_{};
  StandingClock clock_;
  base::Logger logger_{OpenPipe(), clock_};
  base::Result<> state_;
  std::unique_ptr<Engine> engine_ = MakeLoggedEngine(std::make_unique<FullDisk>(state_), logger_, clock_);
};

TEST_F(LoggedEngineTest, TellsOfAFullDiskOnceInAWhile) {
  EXPECT_TRUE(Commit());
  EXPECT_TRUE(engine_->Health());
  EXPECT_EQ(Logged(), "");
  state_ = base::Fail(base::Code::kExhausted, "No space left on device");
  EXPECT_FALSE(Commit());
  EXPECT_NE(Logged().find(R"("The store cannot write" err="No space left on device" failures="1")"), std::string::npos);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(Commit());
    EXPECT_FALSE(engine_->Health());
    EXPECT_FALSE(engine_->Compact(Revision(1), {}));
  }
  EXPECT_EQ(Logged(), "");
  clock_.now += kFailureLines;
  EXPECT_FALSE(Commit());
  EXPECT_NE(Logged().find(R"(failures="3001")"), std::string::npos);
  state_ = {};
  EXPECT_TRUE(engine_->Health());
  EXPECT_TRUE(engine_->Health());
  const std::string log = Logged();
  const size_t at = log.find("The store can write again");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(log.find("The store can write again", at + 1), std::string::npos);
}

TEST_F(LoggedEngineTest, SaysNothingOfTransactionsThatAreRefused) {
  state_ = base::Fail(base::Code::kConflict, "the object was changed");
  EXPECT_FALSE(Commit());
  EXPECT_EQ(Logged(), "");
}

}  // namespace
}  // namespace engine
