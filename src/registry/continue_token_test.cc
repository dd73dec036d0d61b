#include "registry/continue_token.h"

#include <gtest/gtest.h>

namespace registry {
namespace {

std::string Told(std::string_view text) {
  auto token = DecodeContinueToken(text);
  return token ? std::to_string(token->revision) + " " + token->start : token.error().message;
}

TEST(ContinueToken, IsTheRealServers) {
  EXPECT_EQ(EncodeContinueToken({-1, std::string("a\0", 2)}),
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYVx1MDAwMCJ9");
}

TEST(ContinueToken, ReadsAndRefuses) {
  struct Case {
    std::string_view name, text, told;
  };
  const Case cases[] = {
      {"plain", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYmIifQ", "-1 bb"},
      {"names in any case", "eyJWIjoibWV0YS5rOHMuaW8vdjEiLCJSViI6LTEsIlN0YXJ0IjoiYmIifQ", "-1 bb"},
      {"no base64", "!!!", "invalid continue token: continue key is not valid: illegal base64 data at input byte 0"},
      {"standard base64", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYX5+fiJ9",
       "invalid continue token: continue key is not valid: illegal base64 data at input byte 55"},
      {"other version", "eyJ2IjoidjkiLCJydiI6MSwic3RhcnQiOiJhIn0",
       "invalid continue token: continue key is not valid: server does not recognize this encoded version v9"},
      {"no revision", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJzdGFydCI6ImEifQ",
       "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version "
       "meta.k8s.io/v1)"},
      {"no key", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0",
       "invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)"},
      {"dots", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi9hIn0",
       "invalid continue token: continue key is not valid: ../a"},
      {"wrong type", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6IjEifQ",
       "invalid continue token: continue key is not valid: json: cannot unmarshal string into Go struct field "
       "continueToken.rv of type int64"},
  };
  for (const Case& c : cases) EXPECT_EQ(Told(c.text), c.told) << c.name;
}

}  // namespace
}  // namespace registry
