#include "api/duration.h"

#include <gtest/gtest.h>

namespace api {
namespace {

TEST(Duration, IsReadAndPrinted) {
  struct {
    std::string_view text, printed;  // printed is the error where the text is none
  } cases[] = {
      {"0", "0s"},
      {"0s", "0s"},
      {"1s", "1s"},
      {"-1s", "-1s"},
      {"+5m", "5m0s"},
      {"1m30s", "1m30s"},
      {"100h", "100h0m0s"},
      {"1.5s", "1.5s"},
      {".5s", "500ms"},
      {"1.s", "1s"},
      {"300ms", "300ms"},
      {"1500us", "1.5ms"},
      {"15ns", "15ns"},
      {"2\xc2\xb5s", "2\xc2\xb5s"},
      {"9223372036854775807ns", "2562047h47m16.854775807s"},
      {"-9223372036854775808ns", "-2562047h47m16.854775808s"},
      {"", "time: invalid duration \"\""},
      {"10", "time: missing unit in duration \"10\""},
      {"abc", "time: invalid duration \"abc\""},
      {"1x", "time: unknown unit \"x\" in duration \"1x\""},
      {".s", "time: invalid duration \".s\""},
      {"-", "time: invalid duration \"-\""},
      {"1s2", "time: missing unit in duration \"1s2\""},
      {"9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""},
      {"99999999999999999999h", "time: invalid duration \"99999999999999999999h\""},
      {"a\"\xff", "time: invalid duration \"a\\\"\\xff\""},
  };
  for (const auto& c : cases) {
    const auto parsed = ParseDuration(c.text);
    EXPECT_EQ(parsed ? FormatDuration(*parsed) : parsed.error(), c.printed) << c.text;
  }
}

}  // namespace
}  // namespace api
