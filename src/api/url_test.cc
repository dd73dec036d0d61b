#include "api/url.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace api {
namespace {

TEST(Url, IsTakenApart) {
  const Url url = *ParseUrl("HTTPS://us%20er:p%40ss@example.com:8080/a%2fb/\u00e9 ?k=v&k=%20w&x#frag%20ment");
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.user, "us%20er:p%40ss");
  EXPECT_EQ(url.host, "example.com:8080");
  EXPECT_EQ(url.Hostname(), "example.com");
  EXPECT_EQ(url.Port(), "8080");
  EXPECT_EQ(url.EscapedPath(), "/a/b/%C3%A9%20");  // what was not escaped makes all be escaped anew
  EXPECT_EQ(url.fragment, "frag ment");
  EXPECT_EQ(url.text(), "https://us%20er:p%40ss@example.com:8080/a/b/%C3%A9%20?k=v&k=%20w&x#frag%20ment");
}

TEST(Url, HasAHost) {
  struct Case {
    std::string_view text, host, name, port;
  } cases[] = {{"https://[2001:db8::1]:80/", "[2001:db8::1]:80", "2001:db8::1", "80"},
               {"https://[2001:db8::1]", "[2001:db8::1]", "2001:db8::1", ""},
               {"https://[fe80::1%25en%200]/", "[fe80::1%en 0]", "fe80::1%en 0", ""},
               {"https://a:", "a:", "a", ""},
               {"https:///x", "", "", ""},
               {"mailto:a@b", "", "", ""}};
  for (const Case& c : cases) {
    const auto url = ParseUrl(c.text);
    ASSERT_TRUE(url) << url.error();
    EXPECT_EQ(url->host, c.host);
    EXPECT_EQ(url->Hostname(), c.name);
    EXPECT_EQ(url->Port(), c.port);
  }
}

TEST(Url, KeepsAPathThatMayStandAsItIs) {
  EXPECT_EQ(ParseUrl("https://a/x%2Fy")->EscapedPath(), "/x%2Fy");
  EXPECT_EQ(ParseUrl("https://a/[!'()*]")->EscapedPath(), "/[!'()*]");
  EXPECT_EQ(ParseUrl("https://a/\"")->EscapedPath(), "/%22");
  EXPECT_EQ(ParseUrl("*")->EscapedPath(), "*");
}

std::string Shown(std::string_view text) {
  std::string shown;
  for (const auto& [key, values] : ParseUrl(text)->Query()) {
    base::Append(shown, key, ":");
    for (const std::string& item : values) base::Append(shown, "[", item, "]");
  }
  return shown;
}

TEST(Url, HasAQuery) {
  EXPECT_EQ(Shown("/?b=1&a=x+y%20z&b=2&c&=d&&e=f=g"), "b:[1][2]a:[x y z]c:[]:[d]e:[f=g]");
  EXPECT_EQ(Shown("/?a;b=1&c=%zz&%=1&d=1"), "d:[1]");  // what is no pair is left out
  EXPECT_EQ(Shown("/?"), "");
  std::string many = "/?";
  for (size_t i = 0; i < Url::kMostParameters; ++i) many += "a&";
  EXPECT_EQ(Shown(many), "");
}

TEST(Url, IsWrittenAnew) {
  for (const std::string_view text : {"https://a/b?c#d", "https://a?", "a/b", "/x", "https:///x", "file:/x",
                                      "mailto:a@b", "//host/x", "https://a", "?q", "#f", "https://%C3%A9/"}) {
    EXPECT_EQ(ParseUrl(text)->text(), text);
  }
  EXPECT_EQ(ParseUrl("./a:b")->text(), "./a:b");
  EXPECT_EQ(ParseUrl("https://a#")->text(), "https://a");
}

TEST(Url, SaysWhatIsNone) {
  struct Case {
    std::string_view text, why;
  } cases[] = {{"", "empty url"},
               {"a", "invalid URI for request"},
               {":a", "missing protocol scheme"},
               {"https://a b/", "invalid character \" \" in host name"},
               {"https://a:x/", "invalid port \":x\" after host"},
               {"https://[::1", "missing ']' in host"},
               {"https://a/%zz", "invalid URL escape \"%zz\""},
               {"https://%41/", "invalid URL escape \"%41\""},
               {"https://[::1%25%41]/", ""},
               {"https://[::1%25%2f]/", "invalid URL escape \"%2f\""},
               {"https://u ser@a/", "net/url: invalid userinfo"},
               {"/\x7f", "net/url: invalid control character in URL"}};
  for (const Case& c : cases) {
    const auto url = ParseRequestUri(c.text);
    EXPECT_EQ(url.has_value(), c.why.empty()) << c.text;
    if (!url) EXPECT_TRUE(url.error().ends_with(c.why)) << url.error();
  }
}

}  // namespace
}  // namespace api
