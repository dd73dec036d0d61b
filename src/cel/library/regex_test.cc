#include "cel/library/regex.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cel::library {
namespace {

using List = std::vector<std::string>;

List All(std::string_view pattern, std::string_view text, int64_t most = -1) {
  value::Arena arena;
  const Value found = FindAll(arena, CompilePattern(pattern).value(), text, most);
  List texts;
  for (uint32_t i = 0; i < found.Count(); ++i) texts.emplace_back(found.At(i).text());
  return texts;
}

TEST(Regex, FindsTheFirstMatch) {
  EXPECT_EQ(Find(CompilePattern("[0-9]+").value(), "abc 123 45"), "123");
  EXPECT_EQ(Find(CompilePattern("a|ab").value(), "xab"), "a");  // what stands first in the pattern
  EXPECT_EQ(Find(CompilePattern("x").value(), "abc"), "");
  EXPECT_EQ(Find(CompilePattern(R"(\B.)").value(), "\u00e9b ab"), "\u00e9");
  EXPECT_EQ(Find(CompilePattern(R"(\Bb(c)?)").value(), "b abc"), "bc");
}

TEST(Regex, FindsAllMatches) {
  EXPECT_EQ(All("[0-9]+", "123 abc 456"), (List{"123", "456"}));
  EXPECT_EQ(All("[0-9]+", "1 2 3", 2), (List{"1", "2"}));
  EXPECT_EQ(All("[0-9]+", "1 2 3", 0), List());
  EXPECT_EQ(All("x*", "axb"), (List{"", "x", ""}));  // nothing right behind a match does not count
  EXPECT_EQ(All("", "\u00e9a"), (List{"", "", ""}));
  EXPECT_EQ(All("a", ""), List());
  EXPECT_EQ(All(R"(\Bb)", "b bb bbb"), (List{"b", "b", "b"}));
  EXPECT_EQ(All("^a", "aaa"), List{"a"});
}

TEST(Regex, SaysWhatIsNoPattern) {
  EXPECT_EQ(CompilePattern("(").error(), "error parsing regexp: missing closing ): `(`");
  EXPECT_EQ(IllegalPattern("x"), "Illegal regex: x");
}

}  // namespace
}  // namespace cel::library
