#include "value/quote.h"

#include <gtest/gtest.h>

namespace value {
namespace {

TEST(Quote, PrintsAsGoDoes) {
  struct {
    std::string_view in, out;
  } cases[] = {
      {"", R"("")"},
      {"plain", R"("plain")"},
      {"a\"b\\c", R"("a\"b\\c")"},
      {"tab\tnew\nline\x07\x0b", R"("tab\tnew\nline\a\v")"},
      {std::string_view("\0\x1f\x7f", 3), R"("\x00\x1f\x7f")"},
      {"h\xc3\xa9llo \xe4\xb8\x96", "\"h\xc3\xa9llo \xe4\xb8\x96\""},
      {"\xff\xc3", R"("\xff\xc3")"},
      {"\xe2\x80\xa8\xc2\xa0", R"("\u2028\u00a0")"},
      {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
      {"\xed\xa0\x80", R"("\xed\xa0\x80")"},
  };
  for (const auto& c : cases) EXPECT_EQ(Quote(c.in), c.out);
}

}  // namespace
}  // namespace value
