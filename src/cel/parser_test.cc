#include "cel/parser.h"

#include <gtest/gtest.h>

#include "cel/expression_fixture.h"

namespace cel {
namespace {

std::string Errors(std::string_view text, EnvironmentOptions options = {.version = kStoredExpressions}) {
  auto environment = TestEnvironment(std::move(options));
  Issues issues;
  auto ast = Parse(*environment, text, issues);
  std::string out;
  for (const Issue& issue : issues.all()) {
    if (!out.empty()) out += '\n';
    out += std::to_string(issue.place.line) + ":" + std::to_string(issue.place.column + 1) + ": " + issue.message;
  }
  return out;
}

TEST(Parser, TakesTheGrammar) {
  for (const char* text : {"1",
                           "-1",
                           "--1",
                           "!true",
                           "!!x",
                           "a.b.c",
                           ".a.b",
                           "a[0]['b']",
                           "f(1, 2)",
                           "a.f()",
                           "[1, 2,]",
                           "{}",
                           "{'a': 1, 'b': 2,}",
                           "a ? b : c ? d : e",
                           "a.?b",
                           "a[?0]",
                           "[?a, b]",
                           "{?'a': b}",
                           "(1 + 2) * 3 - 4 / 5 % 6",
                           "a || b && c || d",
                           "x in [1]",
                           "T{a: 1, ?b: 2}",
                           "a.b.T{}",
                           "1 < 2 == true",
                           "a . b"}) {
    EXPECT_EQ(Errors(text), "") << text;
  }
}

TEST(Parser, SaysWhatItExpected) {
  const std::string primary =
      "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
      "IDENTIFIER}";
  EXPECT_EQ(Errors(""), "1:1: Syntax error: mismatched input '<EOF>' expecting " + primary);
  EXPECT_EQ(Errors("1 +"), "1:4: Syntax error: mismatched input '<EOF>' expecting " + primary);
  EXPECT_EQ(Errors("(1"), "1:3: Syntax error: missing ')' at '<EOF>'");
  EXPECT_EQ(Errors("[1, 2"), "1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}");
  EXPECT_EQ(Errors("1 2"), "1:3: Syntax error: extraneous input '2' expecting <EOF>");
  EXPECT_EQ(Errors("1 2 3"), "1:3: Syntax error: mismatched input '2' expecting <EOF>");
  EXPECT_EQ(Errors("1."), "1:3: Syntax error: no viable alternative at input '.'");
  EXPECT_EQ(Errors("a.true"), "1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER");
  EXPECT_EQ(Errors("x ? 1"), "1:6: Syntax error: mismatched input '<EOF>' expecting ':'");
}

TEST(Parser, RefusesReservedNamesAndLiteralsOutOfRange) {
  EXPECT_EQ(Errors("namespace"), "1:1: reserved identifier: namespace");
  EXPECT_EQ(Errors("9223372036854775808"), "1:1: invalid int literal");
  EXPECT_EQ(Errors("-9223372036854775808"), "");
  EXPECT_EQ(Errors("18446744073709551616u"), "1:1: invalid uint literal");
  EXPECT_EQ(Errors("1e999"), "1:1: invalid double literal");
}

TEST(Parser, ExpandsMacrosOfGoodArguments) {
  EXPECT_EQ(Errors("has(a)"), "1:5: invalid argument to has() macro");
  EXPECT_EQ(Errors("[1].all(x.y, true)"), "1:10: argument must be a simple name");
  EXPECT_EQ(Errors("[1].map(1, true)"), "1:9: argument is not an identifier");
  EXPECT_EQ(Errors("[1].all(i, i, true)"), "1:12: duplicate variable name: i");
  EXPECT_EQ(Errors("[1].all(__result__, i, true)"), "1:9: iteration variable overwrites accumulator variable");
  EXPECT_EQ(Errors("x.optMap(1, 2)"), "1:10: optMap() variable name must be a simple identifier");
}

TEST(Parser, KnowsNoOptionalsBefore128) {
  EXPECT_EQ(Errors("a.?b", {.version = {1, 27}}), "1:2: unsupported syntax '.?'");
  EXPECT_EQ(Errors("a[?b]", {.version = {1, 27}}), "1:2: unsupported syntax '[?'");
  EXPECT_EQ(Errors("[?a]", {.version = {1, 27}}), "1:2: unsupported syntax '?'");
}

std::string Repeated(std::string_view piece, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += piece;
  return out;
}

TEST(Parser, EndsAtItsDepth) {
  EXPECT_EQ(Errors(Repeated("(", 249) + "1" + Repeated(")", 249)), "");
  EXPECT_EQ(Errors(Repeated("(", 250) + "1" + Repeated(")", 250)), "-1:0: expression recursion limit exceeded: 250");
  EXPECT_EQ(Errors("1" + Repeated("+1", 250)), "");
  EXPECT_EQ(Errors("1" + Repeated("+1", 251)), "-1:0: max recursion depth exceeded");
  EXPECT_EQ(Errors("a" + Repeated(".a", 250)), "");
  EXPECT_EQ(Errors("a" + Repeated(".a", 251)), "-1:0: max recursion depth exceeded");
  EXPECT_EQ(Errors("true" + Repeated("||true", 5000)), "");
}

TEST(Parser, EndsAtItsSize) {
  EXPECT_EQ(Errors("1" + std::string(99'999, ' ')), "");
  EXPECT_EQ(Errors("1" + std::string(100'000, ' ')),
            "-1:0: expression code point size exceeds limit: size: 100001, limit 100000");
}

TEST(Parser, GivesUpAfterManyErrors) {
  std::string errors = Errors(Repeated("(]] + ", 200));
  EXPECT_TRUE(errors.contains("error recovery attempt limit exceeded: 30")) << errors.substr(0, 400);
}

}  // namespace
}  // namespace cel
