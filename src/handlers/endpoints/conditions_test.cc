#include "handlers/endpoints/conditions.h"

#include "gtest/gtest.h"

namespace handlers {
namespace {

constexpr const char* kBefore = "Sat, 21 Nov 2026 08:12:46 GMT";
constexpr const char* kThen = "Sat, 21 Nov 2026 08:12:47 GMT";

TEST(ConditionsTest, AreMetOrNot) {
  const absl::Time modified =
      absl::FromCivil(absl::CivilSecond(2026, 11, 21, 8, 12, 47), absl::UTCTimeZone()) + absl::Milliseconds(500);
  ASSERT_EQ(HttpDate(modified), kThen);
  struct {
    const char *method, *header, *value;
    int status;
  } cases[] = {
      {"GET", "if-none-match", "\"e\"", 304},
      {"HEAD", "if-none-match", "\"x\", \"e\"", 304},
      {"GET", "if-none-match", "W/\"e\"", 304},
      {"GET", "if-none-match", " * ", 304},
      {"GET", "if-none-match", "\"x\", *", 304},
      {"POST", "if-none-match", "\"e\"", 412},
      {"GET", "if-none-match", "\"x\"", 0},
      {"GET", "if-none-match", "e", 0},
      {"GET", "if-none-match", "e, \"e\"", 0},
      {"GET", "if-none-match", "\"e", 0},
      {"GET", "if-match", "\"e\"", 0},
      {"GET", "if-match", "*", 0},
      {"GET", "if-match", "\"x\"", 412},
      {"GET", "if-match", "W/\"e\"", 412},
      {"PUT", "if-match", "x", 412},
      {"GET", "if-modified-since", kThen, 304},
      {"GET", "if-modified-since", kBefore, 0},
      {"PUT", "if-modified-since", kThen, 0},
      {"GET", "if-modified-since", "x", 0},
      {"GET", "if-unmodified-since", kThen, 0},
      {"PUT", "if-unmodified-since", kBefore, 412},
      {"GET", "if-unmodified-since", "x", 0},
  };
  for (const auto& c : cases) {
    exchange::Request request;
    request.method = c.method;
    request.headers.Add(c.header, c.value);
    EXPECT_EQ(UnmetCondition(request, "\"e\"", modified), c.status) << c.header << " " << c.value;
  }
}

TEST(ConditionsTest, TagsGoBeforeTimes) {
  exchange::Request request;
  request.method = "GET";
  request.headers.Add("if-none-match", "\"x\"");
  request.headers.Add("if-modified-since", kThen);
  EXPECT_EQ(UnmetCondition(request, "\"e\"", absl::UnixEpoch()), 0);
}

}  // namespace
}  // namespace handlers
