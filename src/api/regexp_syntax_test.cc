#include "api/regexp_syntax.h"

#include <gtest/gtest.h>

#include <string>

namespace api {
namespace {

// As the real server answers.
TEST(RegexpError, IsWhatGoSays) {
  struct {
    std::string_view pattern, error;
  } cases[] = {
      {R"([a)", R"(missing closing ]: `[a`)"},
      {R"(a()", R"(missing closing ): `a(`)"},
      {R"(a))", R"(unexpected ): `a)`)"},
      {R"(*a)", R"(missing argument to repetition operator: `*`)"},
      {R"(a**)", R"(invalid nested repetition operator: `**`)"},
      {R"(a{2,1})", R"(invalid repeat count: `{2,1}`)"},
      {R"(a{1001})", R"(invalid repeat count: `{1001}`)"},
      {R"((?P<n>a)(?P<n>b))", ""},
      {R"(\)", R"(trailing backslash at end of expression: ``)"},
      {R"(\8)", R"(invalid escape sequence: `\8`)"},
      {R"((?i)", R"(invalid or unsupported Perl syntax: `(?i`)"},
      {R"([z-a])", R"(invalid character class range: `z-a`)"},
      {R"((?<n>a))", ""},
      {R"([[:foo:]])", R"(invalid character class range: `[:foo:]`)"},
      {R"(\pX)", R"(invalid character class range: `\pX`)"},
      {R"((?z))", R"(invalid or unsupported Perl syntax: `(?z`)"},
      {R"(aÿ)", ""},
      {R"(x{2}{3})", R"(invalid nested repetition operator: `{2}{3}`)"},
      {R"((?P<a)", R"(invalid named capture: `(?P<a`)"},
      {R"((?P=a))", R"(invalid or unsupported Perl syntax: `(?P`)"},
      {R"((?=a))", R"(invalid or unsupported Perl syntax: `(?=`)"},
      {R"(a{1000}{1000})", R"(invalid nested repetition operator: `{1000}{1000}`)"},
      {R"((?P<1a>x))", ""},
      {R"(\Q)", ""},
      {R"([\)", R"(trailing backslash at end of expression: ``)"},
      {R"((?i)(?s)a)", ""},
      {R"(\x{110000})", R"(invalid escape sequence: `\x{110000`)"},
      {R"(\xg)", R"(invalid escape sequence: `\xg`)"},
      {R"(a++)", R"(invalid nested repetition operator: `++`)"},
      {R"(a?*)", R"(invalid nested repetition operator: `?*`)"},
      {R"((?)", R"(invalid or unsupported Perl syntax: `(?`)"},
      {R"([]a)", R"(missing closing ]: `[]a`)"},
      {R"([^]a])", ""},
      {R"((((()", R"(missing closing ): `((((`)"},
      {R"(\C)", R"(invalid escape sequence: `\C`)"},
      {R"(\z\Z)", R"(invalid escape sequence: `\Z`)"},
      {R"(\1)", R"(invalid escape sequence: `\1`)"},
      {R"((?P<>a))", R"(invalid named capture: `(?P<>`)"},
      {R"([a-\d])", R"(invalid escape sequence: `\d`)"},
      {R"(a{,2})", ""},
      {R"(a{2,)", ""},
      {R"(^*)", ""},
      {R"($+)", ""},
      {R"(|*)", R"(missing argument to repetition operator: `*`)"},
      {R"((*a))", R"(missing argument to repetition operator: `*`)"},
      {R"((|*))", R"(missing argument to repetition operator: `*`)"},
      {R"(a|*)", R"(missing argument to repetition operator: `*`)"},
      {R"((?:+))", R"(missing argument to repetition operator: `+`)"},
      {R"(\p{Greek})", ""},
      {R"(\p{Foo})", R"(invalid character class range: `\p{Foo}`)"},
      {R"(\PN\pL)", ""},
      {R"([[:word:]])", ""},
      {R"([[:^alpha:]])", ""},
      {R"((?U)a+)", ""},
      {R"((?m-s:a))", ""},
      {R"((?-))", R"(invalid or unsupported Perl syntax: `(?-)`)"},
      {R"((?i-i-s))", R"(invalid or unsupported Perl syntax: `(?i-i-`)"},
      {R"(a{10000000000})", R"(invalid repeat count: `{10000000000}`)"},
      {R"((a{500}){3})", R"(invalid repeat count: `{3}`)"},
      {R"(((a{100}){10}){10})", R"(invalid repeat count: `{10}`)"},
      {R"(\b\B\A)", ""},
      {R"(\G)", R"(invalid escape sequence: `\G`)"},
      {R"(\e)", R"(invalid escape sequence: `\e`)"},
      {R"(\cA)", R"(invalid escape sequence: `\c`)"},
      {R"(\h)", R"(invalid escape sequence: `\h`)"},
      {R"(\R)", R"(invalid escape sequence: `\R`)"},
      {R"(\X)", R"(invalid escape sequence: `\X`)"},
      {R"(\K)", R"(invalid escape sequence: `\K`)"},
      {R"(\07)", ""},
      {R"(\08)", ""},
      {R"(\777)", ""},
      {R"(\x{})", R"(invalid escape sequence: `\x{}`)"},
      {R"(\x{1)", R"(invalid escape sequence: `\x{1`)"},
      {R"(\x1)", R"(invalid escape sequence: `\x1`)"},
      {R"([a-)", R"(missing closing ]: `[a-`)"},
      {R"([--a])", ""},
      {R"([a--])", R"(invalid character class range: `a--`)"},
      {R"([\w-z])", ""},
      {R"([\pN-z])", ""},
      {R"([b-a-z])", R"(invalid character class range: `b-a`)"},
      {R"((?#c)a)", R"(invalid or unsupported Perl syntax: `(?#`)"},
      {R"((?>a))", R"(invalid or unsupported Perl syntax: `(?>`)"},
      {R"((?<=a))", R"(invalid named capture: `(?<=a)`)"},
      {R"((?!a))", R"(invalid or unsupported Perl syntax: `(?!`)"},
      {R"((?<n)", R"(invalid named capture: `(?<n`)"},
      {R"((?<n>)", R"(missing closing ): `(?<n>`)"},
      {R"((?'n'a))", R"(invalid or unsupported Perl syntax: `(?'`)"},
      {R"(a{-1})", ""},
      {R"(x{99999})", R"(invalid repeat count: `{99999}`)"},
      {R"((((x{7}){11}){13}))", R"(invalid repeat count: `{13}`)"},
      {R"((((x{7}){11}){14}))", R"(invalid repeat count: `{14}`)"},
      {R"((?i)\x{17F})", ""},
      {R"([\Q]\E])", R"(invalid escape sequence: `\Q`)"},
      {R"(\Qab\E*)", ""},
      {R"(\Q\E*)", R"(missing argument to repetition operator: `*`)"},
      {R"([[:alpha:])", R"(missing closing ]: `[[:alpha:]`)"},
      {R"([[:alpha:)", R"(missing closing ]: `[[:alpha:`)"},
      {R"([:alpha:])", ""},
      {R"(\p{)", R"(invalid character class range: `\p{`)"},
      {R"(\p{L)", R"(invalid character class range: `\p{L`)"},
      {R"(\p{^L})", ""},
      {R"(\P{^L})", ""},
      {R"([^\x00-\x{10FFFF}])", ""},
      {R"(x*?)", ""},
      {R"(x??)", ""},
      {R"(x{2}?)", ""},
      {R"(x{2}??)", R"(invalid nested repetition operator: `{2}??`)"},
      {R"(x+?+)", R"(invalid nested repetition operator: `+?+`)"},
      {R"((?:)", R"(missing closing ): `(?:`)"},
      {R"((?i:)", R"(missing closing ): `(?i:`)"},
      {R"((?-i)", R"(invalid or unsupported Perl syntax: `(?-i`)"},
      {R"((?P<n>)", R"(missing closing ): `(?P<n>`)"},
      {R"(a(?i)*)", ""},
      {R"((?i)*)", R"(missing argument to repetition operator: `*`)"},
      {R"(\p{Uppercase_Letter})", ""},
      {R"(\p{Old_Italic})", R"(invalid character class range: `\p{Old_Italic}`)"},
      {R"(\p{greek})", ""},
      {R"()", ""},
      {R"(ab{2}c(d|e)+[^x]$)", ""},
      {R"((?i)^[a-z]([-a-z0-9]*[a-z0-9])?$)", ""},
  };
  for (const auto& c : cases) {
    const std::string expected = c.error.empty() ? "" : "error parsing regexp: " + std::string(c.error);
    EXPECT_EQ(RegexpError(c.pattern).value_or(""), expected) << c.pattern;
  }
}

TEST(RegexpError, BoundsDepthAndSize) {
  const auto nested = [](size_t depth) { return std::string(depth, '(') + std::string(depth, ')'); };
  EXPECT_EQ(RegexpError(nested(999)), std::nullopt);
  EXPECT_EQ(RegexpError(nested(1000)), "error parsing regexp: expression nests too deeply: `" + nested(1000) + "`");
  EXPECT_EQ(RegexpError(std::string(1 << 20, 'a') + "{1000}"), std::nullopt);
  std::string many;
  for (int i = 0; i < 4000; ++i) many += ".a";
  EXPECT_TRUE(RegexpError("(" + many + "){1000}").value_or("").contains("expression too large"));
}

}  // namespace
}  // namespace api
