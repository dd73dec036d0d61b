#include "cel/library/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace cel::library {
namespace {

// The text, or "error: " and the reason.
std::string Made(std::string_view format, std::vector<Value> arguments) {
  value::Arena arena;
  const Outcome<std::string_view> made = Format(arena, format, Value::List(arguments));
  return made ? std::string(*made) : "error: " + made.error();
}
std::string Made(std::string_view format, const Value& argument) { return Made(format, std::vector{argument}); }

TEST(Format, ShowsStrings) {
  const Value numbers[] = {
      Value::Int(1),     Value::Double(2.5), Value::String("a\"b"),          Value(),
      Value::Bytes("x"), Value::Double(NAN), Value::Duration(1'500'000'000), Value::Timestamp(0, 0)};
  EXPECT_EQ(Made("%s", Value::List(numbers)),
            R"([1, 2.500000, "a\"b", null, b"x", "NaN", duration("1.5s"), timestamp("1970-01-01T00:00:00Z")])");
  EXPECT_EQ(Made("%%%s%%", Value::String("x")), "%x%");
  EXPECT_EQ(Made("%s %s %s", {Value::Bool(true), Value(), Value::Double(1e6)}), "true null 1e+06");
  EXPECT_EQ(Made("%s", Value::TypeNamed("int")), "int");
  EXPECT_EQ(Made("%s", Value::Bytes("\xff")),
            "error: error during formatting: could not convert argument \"invalid UTF-8 in bytes, cannot convert to "
            "string\" to string");
  EXPECT_EQ(Made("%s", Value::None()),
            "error: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, "
            "maps, lists, types, durations, and timestamps, was given optional_type");
}

TEST(Format, ShowsMapsInTheOrderOfTheirKeys) {
  value::Arena arena;
  EntryMap map;
  map.Set(arena, Value::String("b"), Value::Int(1));
  map.Set(arena, Value::Int(6), Value::Duration(422'000'000'000));
  map.Set(arena, Value::Bool(true), Value::String("x"));
  EXPECT_EQ(Made("%s", Value::Map(&map)), R"({"b":1, 6:duration("422s"), true:"x"})");
}

TEST(Format, ShowsIntegers) {
  EXPECT_EQ(Made("%d %d", {Value::Int(std::numeric_limits<int64_t>::min()), Value::Uint(7)}), "-9223372036854775808 7");
  EXPECT_EQ(Made("%b %b %b", {Value::Int(-5), Value::Uint(5), Value::Bool(false)}), "-101 101 0");
  EXPECT_EQ(Made("%o %x %X", {Value::Int(8), Value::Int(-30), Value::Uint(30)}), "10 -1e 1E");
  EXPECT_EQ(Made("%x %X", {Value::String("a\xc3\xbf"), Value::Bytes("\xab")}), "61c3bf AB");
}

TEST(Format, ShowsFixedPoint) {
  struct Case {
    std::string_view format;
    double number;
    std::string_view text;
  } cases[] = {{"%f", 1234.5678, "1,234.567800"},
               {"%.0f", 2.5, "2"},
               {"%.0f", 1.5, "2"},
               {"%.3f", -1234567.891, "-1,234,567.891"},
               {"%f", -0.0, "0.000000"},
               {"%f", -1e-9, "-0.000000"},
               {"%f", 999999.9999999, "1,000,000.000000"},
               {"%f", NAN, "NaN"},
               {"%.2f", -INFINITY, "-\u221e"},
               {"%.1000001f", 1, "%!(NOVERB)"}};
  for (const Case& c : cases) EXPECT_EQ(Made(c.format, Value::Double(c.number)), c.text);
  EXPECT_EQ(Made("%f", Value::String("Infinity")), "\u221e");
}

TEST(Format, ShowsPowersOfTen) {
  struct Case {
    std::string_view format;
    double number;
    std::string_view text;
  } cases[] = {{"%e", 1052.032911275, "1.052033\u202f\u00d7\u202f10\u2070\u00b3"},
               {"%.3e", 2.71828, "2.718280\u202f\u00d7\u202f10\u2070\u2070"},  // the precision is a width
               {"%.18e", 5e-324, " 4.940656\u202f\u00d7\u202f10\u207b\u00b3\u00b2\u2074"},
               {"%e", -INFINITY, "    -\u221e"},
               {"%e", NAN, "   NaN"}};
  for (const Case& c : cases) EXPECT_EQ(Made(c.format, Value::Double(c.number)), c.text);
}

TEST(Format, SaysWhatIsWrong) {
  struct Case {
    std::string_view format;
    Value argument;
    std::string_view error;
  } cases[] = {
      {"%d %d", Value::Int(1), "index 1 out of range"},
      {"abc %", Value::Int(1), "unexpected end of string"},
      {"%d", Value::Double(1),
       "error during formatting: decimal clause can only be used on integers, was given double"},
      {"%f", Value::Int(1), "error during formatting: fixed-point clause can only be used on doubles, was given int"},
      {"%e", Value(), "error during formatting: scientific clause can only be used on doubles, was given null_type"},
      {"%b", Value::String(""),
       "error during formatting: only integers and bools can be formatted as binary, was given string"},
      {"%o", Value::String(""), "error during formatting: octal clause can only be used on integers, was given string"},
      {"%X", Value::Double(1),
       "error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double"},
      {"%j", Value::Int(1), "could not parse formatting clause: unrecognized formatting clause \"j\""},
      {"%.34", Value::Double(5),
       "could not parse formatting clause: error while parsing precision: could not find end of precision specifier"},
      {"%.f", Value::Double(5),
       "could not parse formatting clause: error while parsing precision: error while converting precision to integer: "
       "strconv.Atoi: parsing \"\": invalid syntax"},
  };
  for (const Case& c : cases) EXPECT_EQ(Made(c.format, c.argument), "error: " + std::string(c.error));
}

TEST(Format, CountsTheArgumentsItShows) {
  std::string out;
  const auto any = [](const FormatClause&, std::string&) { return Outcome<void>(); };
  EXPECT_EQ(WalkFormat("a%%b %s %.2f", 5, out, any), 2u);
  EXPECT_EQ(out, "a%b  ");
}

}  // namespace
}  // namespace cel::library
