#include "cel/library/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cel::library {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
constexpr uint64_t kMostUint = std::numeric_limits<uint64_t>::max();

TEST(Numbers, ArithmeticNoticesTheEndOfItsRange) {
  EXPECT_EQ(Add(kMost, int64_t{0}), kMost);
  EXPECT_EQ(Add(kMost, int64_t{1}).error(), "integer overflow");
  EXPECT_EQ(Subtract(kLeast, int64_t{1}).error(), "integer overflow");
  EXPECT_EQ(Multiply(kLeast, int64_t{-1}).error(), "integer overflow");
  EXPECT_EQ(Divide(kLeast, int64_t{-1}).error(), "integer overflow");
  EXPECT_EQ(Modulo(kLeast, int64_t{-1}).error(), "integer overflow");
  EXPECT_EQ(Divide(int64_t{1}, int64_t{0}).error(), "division by zero");
  EXPECT_EQ(Modulo(int64_t{1}, int64_t{0}).error(), "modulus by zero");
  EXPECT_EQ(Modulo(int64_t{-43}, int64_t{5}), -3);
  EXPECT_EQ(Negate(kLeast).error(), "integer overflow");
  EXPECT_EQ(Add(kMostUint, uint64_t{1}).error(), "unsigned integer overflow");
  EXPECT_EQ(Subtract(uint64_t{1}, uint64_t{2}).error(), "unsigned integer overflow");
  EXPECT_EQ(Multiply(kMostUint, uint64_t{2}).error(), "unsigned integer overflow");
  EXPECT_EQ(Divide(uint64_t{1}, uint64_t{0}).error(), "division by zero");
  EXPECT_EQ(Modulo(uint64_t{7}, uint64_t{4}), 3u);
}

TEST(Numbers, ConversionsCheckTheirRange) {
  EXPECT_EQ(ToInt(-2.9), -2);
  EXPECT_EQ(ToInt(0x1p63).error(), "integer overflow");
  EXPECT_EQ(ToInt(-0x1p63).error(), "integer overflow");  // the least int has no double that converts to it
  EXPECT_EQ(ToInt(std::nan("")).error(), "integer overflow");
  EXPECT_EQ(ToInt(uint64_t{1} << 63).error(), "integer overflow");
  EXPECT_EQ(ToUint(1.9), 1u);
  EXPECT_EQ(ToUint(-0.5).error(), "unsigned integer overflow");
  EXPECT_EQ(ToUint(0x1p64).error(), "unsigned integer overflow");
  EXPECT_EQ(ToUint(int64_t{-1}).error(), "unsigned integer overflow");
}

TEST(Numbers, CompareAcrossKinds) {
  EXPECT_EQ(Compare(int64_t{-1}, uint64_t{0}), -1);
  EXPECT_EQ(Compare(kMostUint, int64_t{1}), 1);
  EXPECT_EQ(Compare(int64_t{1}, 1.5), -1);
  EXPECT_EQ(Compare(1.5, uint64_t{1}), 1);
  EXPECT_EQ(Compare(9007199254740993.0, int64_t{9007199254740993}), 0);  // as doubles they are the same
  EXPECT_EQ(Compare(kMost, std::numeric_limits<double>::infinity()), -1);
}

TEST(Numbers, ReadsIntsAsGo) {
  struct Case {
    std::string_view text;
    bool is_int, is_uint;
  } cases[] = {{"0", true, true},
               {"+1", true, false},
               {"-1", true, false},
               {"01", true, true},
               {"", false, false},
               {"+", false, false},
               {"+-1", false, false},
               {"1_0", false, false},
               {"0x1", false, false},
               {" 1", false, false},
               {"9223372036854775807", true, true},
               {"9223372036854775808", false, true},
               {"-9223372036854775808", true, false},
               {"18446744073709551616", false, false},
               {"1.0", false, false}};
  for (const Case& c : cases) {
    int64_t i = 0;
    uint64_t u = 0;
    EXPECT_EQ(ParseInt(c.text, i), c.is_int) << c.text;
    EXPECT_EQ(ParseUint(c.text, u), c.is_uint) << c.text;
  }
}

TEST(Numbers, ReadsDoublesAsGo) {
  struct Case {
    std::string_view text;
    double number;
  } good[] = {{"1_000", 1000}, {"0x1p3", 8},      {"0x1.8p1", 3},    {"1.", 1},
              {".5", 0.5},     {"1e+05", 1e5},    {"+1.5", 1.5},     {"-0", -0.0},
              {"1e-400", 0},   {"0x_1p3", 8},     {"inf", INFINITY}, {"-Infinity", -INFINITY},
              {"0X1P+3", 8},   {"1_0.2_5", 10.25}};
  for (const Case& c : good) {
    double number = 7;
    EXPECT_TRUE(ParseDouble(c.text, number)) << c.text;
    EXPECT_EQ(number, c.number) << c.text;
  }
  double number = 0;
  EXPECT_TRUE(ParseDouble("NaN", number) && std::isnan(number));
  for (const std::string_view bad : {"", ".", "-nan", "1e", "1e400", "0x10", "0x", "0b1", "1__0", "_1", "1_", "1e_5",
                                     "infi", " 1", "1 ", "1,5", "--1", "1e5.0", "0x1p"}) {
    EXPECT_FALSE(ParseDouble(bad, number)) << bad;
  }
}

TEST(Numbers, ReadsBools) {
  bool truth = false;
  EXPECT_TRUE(ParseBool("True", truth) && truth);
  EXPECT_TRUE(ParseBool("f", truth) && !truth);
  EXPECT_FALSE(ParseBool("tRUE", truth));
  EXPECT_FALSE(ParseBool("yes", truth));
}

TEST(Numbers, PrintsDoublesAsGo) {
  struct Case {
    double number;
    std::string_view text, plain;
  } cases[] = {{0, "0", "0"},
               {-0.0, "-0", "-0"},
               {1, "1", "1"},
               {123.456, "123.456", "123.456"},
               {100000, "100000", "100000"},
               {1e6, "1e+06", "1000000"},
               {1.2345675e6, "1.2345675e+06", "1234567.5"},
               {0.0001, "0.0001", "0.0001"},
               {0.00001, "1e-05", "0.00001"},
               {-987.654, "-987.654", "-987.654"},
               {6.02214e23, "6.02214e+23", "602214000000000000000000"},
               {5e-324, "5e-324", ""},
               {1.7976931348623157e308, "1.7976931348623157e+308", ""},
               {INFINITY, "+Inf", "+Inf"},
               {-INFINITY, "-Inf", "-Inf"},
               {NAN, "NaN", "NaN"}};
  for (const Case& c : cases) {
    EXPECT_EQ(FormatDouble(c.number), c.text);
    if (!c.plain.empty()) EXPECT_EQ(FormatPlain(c.number), c.plain);
  }
  EXPECT_EQ(FormatFixed(2.5, 0), "2");
  EXPECT_EQ(FormatFixed(-1.005, 2), "-1.00");
  EXPECT_EQ(FormatFixed(1e300, 1).size(), 303u);
}

}  // namespace
}  // namespace cel::library
