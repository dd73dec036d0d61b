#include "base/text.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Text, PutsPiecesTogether) {
  const std::string word = "pods";
  EXPECT_EQ(Cat("a ", std::string_view("b"), word, 12, int64_t{-3}, size_t{7}), "a bpods12-37");
  std::string out = "x";
  Append(out, "=", 1);
  EXPECT_EQ(out, "x=1");
  EXPECT_EQ(Join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(Join({}, ","), "");
}

TEST(Text, ComparesLettersOfAnyCase) {
  EXPECT_EQ(ToLower("GET \xC3\x84"), "get \xC3\x84");
  EXPECT_TRUE(EqualsIgnoreCase("False", "fALSE"));
  EXPECT_FALSE(EqualsIgnoreCase("fals", "false"));
  EXPECT_EQ(TrimSpace(" \t a b\r\n"), "a b");
  EXPECT_EQ(TrimSpace("  "), "");
}

}  // namespace
}  // namespace base
