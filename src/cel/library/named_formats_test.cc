#include "cel/library/named_formats.h"

#include <gtest/gtest.h>

namespace cel::library {
namespace {

TEST(NamedFormats, Validate) {
  struct Case {
    std::string_view format, good, bad;
  } cases[] = {{"byte", "aGVsbG8=", "aGVsbG8"},
               {"date", "2020-02-29", "2020-02-30"},
               {"datetime", "2020-01-01T00:00:00+01:00", "2020-01-01"},
               {"dns1035Label", "a1", "1a"},
               {"dns1035LabelPrefix", "a-", "1b-"},
               {"dns1123Label", "1a", "a-"},
               {"dns1123LabelPrefix", "1a-", "-"},
               {"dns1123Subdomain", "a.b", "A.b"},
               {"dns1123SubdomainPrefix", "a.b-", "a..b"},
               {"labelValue", "", "-a"},
               {"qualifiedName", "example.com/Name", "a/b/c"},
               {"uri", "https://a/b", "a b"},
               {"uuid", "123e4567-e89b-12d3-a456-426614174000", "123"}};
  for (const Case& c : cases) {
    const NamedFormat* format = FindFormat(c.format);
    ASSERT_NE(format, nullptr) << c.format;
    EXPECT_TRUE(format->validate(c.good).empty()) << c.format;
    EXPECT_FALSE(format->validate(c.bad).empty()) << c.format;
  }
  EXPECT_EQ(FindFormat("ipv4"), nullptr);
  EXPECT_EQ(FindFormat("DNS1123Label"), nullptr);
}

TEST(NamedFormats, SayWhatIsWrong) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(FindFormat("byte")->validate("?"), Texts{"invalid base64"});
  EXPECT_EQ(FindFormat("uuid")->validate("?"), Texts{"does not match the UUID format"});
  EXPECT_EQ(FindFormat("uri")->validate(""), Texts{"parse \"\": empty url"});
  EXPECT_EQ(FindFormat("qualifiedName")->validate("a/").size(), 2u);
}

}  // namespace
}  // namespace cel::library
