#include "api/regexp.h"

#include <gtest/gtest.h>

namespace api {
namespace {

TEST(Regexp, MatchesAsGoDoes) {
  struct {
    std::string_view pattern, text;
    bool matches;
  } const cases[] = {
      {"", "", true},
      {"b", "abc", true},
      {"^b", "abc", false},
      {"^a$", "a\n", false},
      {"(?m)^a$", "a\n", true},
      {"^.$", "\u00e9", true},
      {R"(^\d+$)", "\u0661", false},
      {"(?P<n>a)(?P<n>b)", "ab", true},
      {"(?<n>a)", "a", true},
      {R"(\Q(?<n>a)\p{x}\E)", R"((?<n>a)\p{x})", true},
      {R"(\Qa)", "a", true},
      {"[(?<n>]", "<", true},
      {R"(\(?<n>)", "<n>", true},
      {R"(^[]\]a]+$)", "]a", true},
      {R"(^[^]a]+$)", "b", true},
      {R"(^[[:alpha:]\]]+$)", "a]", true},
      {R"(^\p{greek}$)", "\u03b1", true},
      {R"(^\p{letter}+$)", "a\u03b1", true},
      {R"(^\P{Letter}$)", "a", false},
      {R"(^\p{^Letter}$)", "1", true},
      {R"(^\P{^Lowercase_Letter}$)", "a", true},
      {R"(^\pL\PL$)", "a1", true},
      {R"(^[\p{Digit}\p{Upper case letter}]+$)", "1A", true},
      {R"(^\p{LC}$)", "a", true},
      {R"(^\p{LC}$)", "\u05d0", false},
      {R"(^[^\P{LC}]$)", "\u05d0", false},
      {R"(^[^\P{LC}]$)", "A", true},
      {R"(^\p{ascii}\P{ASCII}$)", "a\u00e9", true},
      {R"(^\p{Assigned}$)", "a", true},
      {R"(^\p{Cn}$)", "\u0378", true},
      {R"(^[a\p{Unassigned}]$)", "b", false},
      {R"(^\p{C}$)", "\u0378", true},
      {R"(^\p{Other}\PC$)", "\u0007a", true},
      {R"(^\p{Any}$)", "\u0378", true},
      {R"(\B)", "a\u00e9b", false},
      {R"(\B)", "ab", true},
      {R"(e|\Bb)", "\u00e9ab", true},
      {"^a{1000}$", "a", false},
      {"(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", false},
  };
  for (const auto& c : cases) {
    const auto expression = Regexp::Compile(c.pattern);
    ASSERT_TRUE(expression) << c.pattern;
    EXPECT_EQ(expression->IsIn(c.text), c.matches) << c.pattern << " in " << c.text;
  }
}

TEST(Regexp, SaysWhatIsNone) {
  const auto expression = Regexp::Compile("a**");
  ASSERT_FALSE(expression);
  EXPECT_EQ(expression.error(), "error parsing regexp: invalid nested repetition operator: `**`");
}

TEST(Regexp, FindsWhatGoFinds) {
  struct {
    std::string_view pattern, text;
    size_t from, at, size;
  } const cases[] = {
      {"b+", "abbabbb", 0, 1, 2}, {"b+", "abbabbb", 3, 4, 3}, {"a|ab", "ab", 0, 0, 1}, {R"(\Bb(c)?)", "b abc", 0, 3, 2},
      {R"(\bb)", "bb", 1, 2, 0},  {"^b", "bb", 1, 2, 0},      {"", "\u00e9", 0, 0, 0},
  };
  for (const auto& c : cases) {
    const auto found = Regexp::Compile(c.pattern)->Find(c.text, c.from);
    ASSERT_EQ(found.has_value(), c.at < c.text.size()) << c.pattern;
    if (!found) continue;
    EXPECT_EQ(static_cast<size_t>(found->data() - c.text.data()), c.at) << c.pattern;
    EXPECT_EQ(found->size(), c.size) << c.pattern;
  }
}

TEST(Regexp, ReadsExpressionsThatNeedMuchMemory) {
  const auto expression = Regexp::Compile(R"((\pL{10}){60})", Regexp::kLargestMemory);
  ASSERT_TRUE(expression);
  EXPECT_FALSE(expression->IsIn("a"));
  EXPECT_GT(expression->memory(), Regexp::Compile("a")->memory());
}

TEST(Regexp, IsBoundedInItsMemory) {
  const std::string large = "^(" + std::string(1000, 'a') + "){1000}$";
  const auto expression = Regexp::Compile(large);
  ASSERT_TRUE(expression);
  EXPECT_TRUE(expression->IsIn("b"));  // too large to be asked
  EXPECT_EQ(expression->cost(), Regexp::kMostMemory);
  const auto small = Regexp::Compile("^a{1,100}$");
  ASSERT_TRUE(small);
  EXPECT_FALSE(small->IsIn("b"));
  EXPECT_LT(small->cost(), Regexp::kMostMemory / 100);
}

}  // namespace
}  // namespace api
