#include "apply/go_print.h"

#include <utility>

#include "gtest/gtest.h"
#include "value/json_reader.h"

namespace apply {
namespace {

TEST(GoPrintTest, PrintsNumbersAsGo) {
  const std::pair<const char*, const char*> cases[] = {
      {"1", "1"},
      {"1000000", "1000000"},
      {"-100000000000000000000", "-1e+20"},
      {"1.5", "1.5"},
      {"1.0", "1"},
      {"123456.5", "123456.5"},
      {"1500000.5", "1.5000005e+06"},
      {"0.0001", "0.0001"},
      {"0.00001", "1e-05"},
      {"{\"a\":[1e21,-0.5]}", "map[a:[1e+21 -0.5]]"},
  };
  for (const auto& [json, text] : cases) {
    value::Arena arena;
    EXPECT_EQ(GoValue(*value::ReadJson(json, arena)), text) << json;
  }
}

TEST(GoPrintTest, TakesATextForAFormat) {
  const std::pair<const char*, const char*> cases[] = {
      {"no directive", "no directive"},    {"&{25%}", "&{25%!}(MISSING)"},
      {"100%", "100%!(NOVERB)"},           {"%%a%d", "%a%!d(MISSING)"},
      {"%-05.3x|", "%!x(MISSING)|"},       {"%*d", "%!(BADWIDTH)%!d(MISSING)"},
      {"%.*d", "%!(BADPREC)%!d(MISSING)"}, {"%[1]d", "%!d(BADINDEX)"},
      {"%\u00e4b", "%!\u00e4(MISSING)b"},  {"%5%", "%"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(GoFormatted(text), want) << text;
}

}  // namespace
}  // namespace apply
