#include "registry/json_scan.h"

#include <gtest/gtest.h>

namespace registry {
namespace {

TEST(JsonScan, FindsByPath) {
  constexpr std::string_view kJson =
      R"({"a":{"b":"x","c\"d":{"e":[1,{"b":2}]}},"s":"}\\","n":-1.5,"t":true,"z":null,"b":"last"})";
  struct Case {
    std::string_view path, raw, text;
  };
  const Case cases[] = {{"a.b", R"("x")", "x"},
                        {"b", R"("last")", "last"},
                        {"n", "-1.5", "-1.5"},
                        {"t", "true", "true"},
                        {"z", "null", ""},
                        {"s", R"("}\\")", R"(}\\)"},
                        {"a.x", "", ""},
                        {"b.c", "", ""},
                        {"", "", ""}};
  for (const Case& c : cases) {
    EXPECT_EQ(FindJson(kJson, c.path), c.raw) << c.path;
    EXPECT_EQ(PlainText(FindJson(kJson, c.path)), c.text) << c.path;
    EXPECT_TRUE(SeekJson(kJson, c.path).starts_with(c.raw)) << c.path;
    EXPECT_EQ(SeekJson(kJson, c.path).empty(), c.raw.empty()) << c.path;
  }
}

TEST(JsonScan, FindsNothingInBrokenText) {
  for (std::string_view broken : {"", "{", R"({"a)", R"({"a":)", R"({"a":"x)", R"([{"a":1}])", R"({a:1})"}) {
    EXPECT_EQ(FindJson(broken, "a.b"), "") << broken;
  }
}

}  // namespace
}  // namespace registry
