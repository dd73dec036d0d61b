#include "exchange/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace exchange {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Headers Some() {
  Headers headers;
  headers.Add("accept", "a");
  headers.Add("warning", "1");
  headers.Add("accept", "b");
  return headers;
}

TEST(HeadersTest, GetGivesTheFirstAndAllGivesEach) {
  Headers headers = Some();
  EXPECT_EQ(headers.Get("accept"), "a");
  EXPECT_EQ(headers.Get("absent"), "");
  EXPECT_TRUE(headers.Has("warning"));
  EXPECT_FALSE(headers.Has("absent"));
  EXPECT_THAT(headers.All("accept"), ElementsAre("a", "b"));
  EXPECT_THAT(headers.All("absent"), IsEmpty());
}

TEST(HeadersTest, SetKeepsThePlaceOfTheFirstAndDropsTheOthers) {
  Headers headers = Some();
  headers.Set("accept", "c");
  EXPECT_THAT(headers.fields(), ElementsAre(Pair("accept", "c"), Pair("warning", "1")));
  headers.Set("vary", "Accept");
  EXPECT_EQ(headers.Get("vary"), "Accept");
}

TEST(HeadersTest, RemoveDropsAllOfAName) {
  Headers headers = Some();
  headers.Remove("accept");
  EXPECT_THAT(headers.fields(), ElementsAre(Pair("warning", "1")));
}

}  // namespace
}  // namespace exchange
