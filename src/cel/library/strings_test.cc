#include "cel/library/strings.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace cel::library {
namespace {

constexpr std::string_view kText = "ta\u00a9o\u00a9\u03b1T";  // seven code points of one and two bytes

std::vector<std::string> Texts(const Value& list) {
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < list.Count(); ++i) texts.emplace_back(list.At(i).text());
  return texts;
}
using List = std::vector<std::string>;

TEST(Strings, PositionsCountCodePoints) {
  EXPECT_EQ(CharAt(kText, 3), "o");
  EXPECT_EQ(CharAt(kText, 5), "\u03b1");
  EXPECT_EQ(CharAt(kText, 7), "");
  EXPECT_EQ(CharAt(kText, 8).error(), "index out of range: 8");
  EXPECT_EQ(CharAt(kText, -1).error(), "index out of range: -1");
  EXPECT_EQ(CharAt("", 0), "");
  EXPECT_EQ(Substring(kText, 4), "\u00a9\u03b1T");
  EXPECT_EQ(Substring(kText, 7), "");
  EXPECT_EQ(Substring(kText, 8).error(), "index out of range: 8");
  EXPECT_EQ(Substring(kText, 2, 6), "\u00a9o\u00a9\u03b1");
  EXPECT_EQ(Substring(kText, 3, 3), "");
  EXPECT_EQ(Substring(kText, 4, 3).error(), "invalid substring range. start: 4, end: 3");
  EXPECT_EQ(Substring(kText, -1, 3).error(), "index out of range: -1");
  EXPECT_EQ(Substring(kText, 0, 8).error(), "index out of range: 8");
  EXPECT_EQ(Substring(kText, std::numeric_limits<int64_t>::max()).error(), "index out of range: 9223372036854775807");
}

TEST(Strings, FindsParts) {
  EXPECT_EQ(IndexOf(kText, "\u00a9"), 2);
  EXPECT_EQ(IndexOf(kText, "\u00a9", 3), 4);
  EXPECT_EQ(IndexOf(kText, "\u00a9\u03b1", 3), 4);
  EXPECT_EQ(IndexOf(kText, "T", 7), -1);
  EXPECT_EQ(IndexOf(kText, "x"), -1);
  EXPECT_EQ(IndexOf(kText, "", 40), 40);
  EXPECT_EQ(IndexOf(kText, "t", 40), -1);
  EXPECT_EQ(IndexOf(kText, "t", -1).error(), "index out of range: -1");
  EXPECT_EQ(LastIndexOf(kText, "\u00a9"), 4);
  EXPECT_EQ(LastIndexOf(kText, "\u00a9", 3), 2);
  EXPECT_EQ(LastIndexOf(kText, "\u00a9", 4), 4);
  EXPECT_EQ(LastIndexOf(kText, ""), 7);
  EXPECT_EQ(LastIndexOf(kText, "", 3), 3);
  EXPECT_EQ(LastIndexOf(kText, "T", 7), -1);  // as the real one: behind the end is nowhere
  EXPECT_EQ(LastIndexOf(kText, "t", -1).error(), "index out of range: -1");
  EXPECT_EQ(LastIndexOf("", "t").error(), "index out of range: -1");
  EXPECT_EQ(LastIndexOf("ab", "abc"), -1);
  const std::string long_part(40, 'x');
  EXPECT_EQ(LastIndexOf("a" + long_part + "b" + long_part + "c", long_part), 42);
  EXPECT_TRUE(Contains(kText, ""));
  EXPECT_TRUE(Contains(kText, "o\u00a9"));
  EXPECT_FALSE(Contains("", "a"));
}

TEST(Strings, LooksForPartsInLinearTime) {
  const std::string text(2'000'000, 'a'), part = std::string(1'000'000, 'a') + "b";
  EXPECT_EQ(IndexOf(text, part), -1);  // hours in quadratic time
  EXPECT_EQ(LastIndexOf(text, part), -1);
  EXPECT_EQ(LastIndexOf(text, "b" + text.substr(1'000'000)), -1);
}

TEST(Strings, TrimsAndChangesCase) {
  value::Arena arena;
  EXPECT_EQ(Trim(" \t\u0085\u00a0\u2003 a b\u3000\n\v"), "a b");
  EXPECT_EQ(Trim("\u200b a"), "\u200b a");  // no white space
  EXPECT_EQ(Trim(" "), "");
  EXPECT_EQ(LowerAscii(arena, "TacoC\u00c6t"), "tacoc\u00c6t");
  EXPECT_EQ(UpperAscii(arena, "taco\u00f6"), "TACO\u00f6");
  EXPECT_EQ(UpperAscii(arena, ""), "");
}

TEST(Strings, Replaces) {
  value::Arena arena;
  EXPECT_EQ(Replace(arena, "hello hello", "he", "we"), "wello wello");
  EXPECT_EQ(Replace(arena, "hello hello", "he", "we", 1), "wello hello");
  EXPECT_EQ(Replace(arena, "hello hello", "he", "we", 0), "hello hello");
  EXPECT_EQ(Replace(arena, "hello hello", "ello", ""), "h h");
  EXPECT_EQ(Replace(arena, "\u00a9a", "", "_"), "_\u00a9_a_");
  EXPECT_EQ(Replace(arena, "\u00a9a", "", "_", 2), "_\u00a9_a");
  EXPECT_EQ(Replace(arena, "", "", "x"), "x");
  EXPECT_EQ(Replace(arena, "", "a", "x"), "");
  EXPECT_EQ(Replace(arena, "aaa", "aa", "b"), "ba");
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(Replace(arena, large, "", large).error(), "result is too long");
}

TEST(Strings, SplitsAndJoins) {
  value::Arena arena;
  EXPECT_EQ(Texts(Split(arena, "a,b,,c", ",")), (List{"a", "b", "", "c"}));
  EXPECT_EQ(Texts(Split(arena, "a,b,,c", ",", 2)), (List{"a", "b,,c"}));
  EXPECT_EQ(Texts(Split(arena, "a,b", ",", 0)), List());
  EXPECT_EQ(Texts(Split(arena, "a,b", ",", 1)), List{"a,b"});
  EXPECT_EQ(Texts(Split(arena, "a\u00a9b", "")), (List{"a", "\u00a9", "b"}));
  EXPECT_EQ(Texts(Split(arena, "a\u00a9b", "", 2)), (List{"a", "\u00a9b"}));
  EXPECT_EQ(Texts(Split(arena, "", ",")), List{""});
  EXPECT_EQ(Texts(Split(arena, "", "")), List());
  const Value items[] = {Value::String("a"), Value::String(""), Value::String("b")};
  EXPECT_EQ(Join(arena, Value::List(items), "-"), "a--b");
  EXPECT_EQ(Join(arena, Value::List({}), "-"), "");
  const Value wrong[] = {Value::String("a"), Value::Int(7)};
  EXPECT_EQ(Join(arena, Value::List(wrong), "").error(), "join: invalid input: 7");
  const std::string large(1 << 20, 'x');
  const std::vector<Value> many(100, Value::String(large));
  EXPECT_EQ(Join(arena, Value::List(many), "").error(), "result is too long");
}

TEST(Strings, Quotes) {
  value::Arena arena;
  EXPECT_EQ(Quote(arena, "\a\b\f\n\r\t\v\\\"'\x01\u00a9"), R"("\a\b\f\n\r\t\v\\\"')"
                                                           "\x01\u00a9\"");
  EXPECT_EQ(Quote(arena, "a\xff"), "\"a\ufffd\"");
}

}  // namespace
}  // namespace cel::library
