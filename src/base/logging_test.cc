#include "base/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace base {
namespace {

class FixedClock final : public Clock {
 public:
  std::chrono::system_clock::time_point Now() const override {
    return std::chrono::system_clock::from_time_t(1'700'000'000) + std::chrono::microseconds(42);
  }
  std::chrono::steady_clock::time_point Monotonic() const override { return {}; }
};

class LoggerTest : public testing::Test {
 protected:
  LoggerTest() { EXPECT_EQ(pipe(ends_), 0); }
  ~LoggerTest() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  std::string Read(size_t most = 1 << 16) {
    std::string text(most, '\0');
    text.resize(static_cast<size_t>(read(ends_[0], text.data(), most)));
    return text;
  }
  FixedClock clock_;
  int ends_[2];
};

TEST_F(LoggerTest, WritesLinesAsComponentsDo) {
  Logger logger(ends_[1], clock_);
  logger.Warning("a \"b\"\nc", {{"key", "v\\"}, {"other", ""}});
  logger.Flush();
  EXPECT_THAT(Read(), testing::MatchesRegex(
                          "W1114 22:13:20\\.000042 +[0-9]+ logging_test\\.cc:[0-9]+\\] \"a \\\\\"b\\\\\"\\\\nc\" "
                          "key=\"v\\\\\\\\\" other=\"\"\n"));
}

TEST_F(LoggerTest, NothingIsLostAtTheEnd) {
  {
    Logger logger(ends_[1], clock_);
    for (int i = 0; i < 50; ++i) logger.Info("line");
  }
  const std::string text = Read();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 50);
}

TEST_F(LoggerTest, AReaderThatIsStuckHoldsNobody) {
  auto logger = std::make_unique<Logger>(ends_[1], clock_);
  const std::string big(64 << 10, 'x');  // what a pipe holds
  for (int i = 0; i < 64; ++i) logger->Error(big);
  size_t got = 0;
  std::thread reader([&] {
    for (std::string part = Read(); !part.empty(); part = Read()) got += part.size();
  });
  logger.reset();
  close(ends_[1]);
  reader.join();
  EXPECT_LT(got, 64u * (64 << 10));
  ends_[1] = dup(ends_[0]);
}

}  // namespace
}  // namespace base
