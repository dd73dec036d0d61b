#include "cel/source.h"

#include <gtest/gtest.h>

namespace cel {
namespace {

TEST(Source, FindsPlacesByCodePoints) {
  Source source("a\n\u00e4b\nc");
  EXPECT_EQ(source.size(), 6);
  EXPECT_EQ(source.At(0), (Place{1, 0}));
  EXPECT_EQ(source.At(3), (Place{2, 1}));
  EXPECT_EQ(source.At(5), (Place{3, 0}));
  EXPECT_EQ(source.At(-1), Place{});
}

TEST(Source, MendsWhatIsNoUtf8) { EXPECT_EQ(Source("a\xff").text(), "a\uFFFD"); }

TEST(Issues, PointAtThePlace) {
  Source source("one\n\ttwo \u00e4\u00e4");
  Issues issues;
  issues.Add(source.At(10), "second");
  issues.Add(source.At(0), "first");
  EXPECT_EQ(issues.Text(source),
            "ERROR: <input>:1:1: first\n | one\n | ^\n"
            "ERROR: <input>:2:7: second\n |  two \u00e4\u00e4\n | .....\uff0e\uff3e");
}

TEST(Issues, ThatAreNowhereShowNoLine) {
  Issues issues;
  issues.Add({}, "too deep");
  EXPECT_EQ(issues.Text(Source("x")), "ERROR: <input>:-1:0: too deep");
}

TEST(Issues, AreCountedBeyondAHundred) {
  Source source("x");
  Issues issues;
  for (int i = 0; i < 103; ++i) issues.Add({}, "e");
  EXPECT_EQ(issues.all().size(), 100U);
  EXPECT_TRUE(issues.Text(source).ends_with("\n3 more errors were truncated"));
}

}  // namespace
}  // namespace cel
