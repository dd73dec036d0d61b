#include "registry/strategy.h"

#include <gtest/gtest.h>

#include <limits>

namespace registry {
namespace {

TEST(AddSeconds, MovesATimeAndGoesRoundBeyondWhatADurationHolds) {
  constexpr std::string_view now = "2027-01-15T08:00:00Z";
  EXPECT_EQ(AddSeconds(now, 30), "2027-01-15T08:00:30Z");
  EXPECT_EQ(AddSeconds(now, -30), "2027-01-15T07:59:30Z");
  EXPECT_EQ(AddSeconds(now, 9'223'372'036), "2319-04-27T07:47:16Z");
  EXPECT_EQ(AddSeconds(now, 9'223'372'037), "1734-10-06T08:12:44Z");
  EXPECT_EQ(AddSeconds(now, std::numeric_limits<int64_t>::max()), "2027-01-15T07:59:59Z");
  EXPECT_EQ(AddSeconds("no time", 30), "no time");
}

}  // namespace
}  // namespace registry
