#include "cel/lexer.h"

#include <gtest/gtest.h>

namespace cel {
namespace {

std::string Tokens(std::string_view text) {
  Source source(text);
  Issues issues;
  std::string out;
  for (const Lexeme& lexeme : Tokenize(source, issues, 100)) {
    out += TokenName(lexeme.token);
    out += ' ';
  }
  for (const Issue& issue : issues.all()) out += "| " + std::to_string(issue.place.column) + " " + issue.message;
  return out;
}

TEST(Lexer, TakesTheLongestToken) {
  EXPECT_EQ(Tokens("a<=b"), "IDENTIFIER '<=' IDENTIFIER <EOF> ");
  EXPECT_EQ(Tokens("in inn true trues null"), "'in' IDENTIFIER 'true' IDENTIFIER 'null' <EOF> ");
  EXPECT_EQ(Tokens("1 1u 0x1F 0x1fU 1.5 .5 1e3 1.5e-3 1."),
            "NUM_INT NUM_UINT NUM_INT NUM_UINT NUM_FLOAT NUM_FLOAT NUM_FLOAT NUM_FLOAT NUM_INT '.' <EOF> ");
  EXPECT_EQ(Tokens("0xg 1ex"), "NUM_INT IDENTIFIER NUM_INT IDENTIFIER <EOF> ");
}

TEST(Lexer, ReadsStrings) {
  EXPECT_EQ(Tokens(R"('a' "b" '''c'd''' r'\d' b'x' br"\x" '')"),
            "STRING STRING STRING STRING BYTES BYTES STRING <EOF> ");
  EXPECT_EQ(Tokens("'''open"), "STRING <EOF> | 2 Syntax error: token recognition error at: ''open'");
  EXPECT_EQ(Tokens("r'open"), "IDENTIFIER <EOF> | 1 Syntax error: token recognition error at: ''open'");
}

TEST(Lexer, LeavesOutWhatIsNoToken) {
  EXPECT_EQ(Tokens("1 & 2"), "NUM_INT NUM_INT <EOF> | 2 Syntax error: token recognition error at: '& '");
  EXPECT_EQ(Tokens("a # b"), "IDENTIFIER IDENTIFIER <EOF> | 2 Syntax error: token recognition error at: '#'");
  EXPECT_EQ(Tokens("'a\\qb'"),
            "IDENTIFIER <EOF> | 0 Syntax error: token recognition error at: ''a\\q'| 5 Syntax error: token recognition "
            "error at: '''");
}

TEST(Lexer, LeavesOutComments) { EXPECT_EQ(Tokens("1 // 2\n3"), "NUM_INT NUM_INT <EOF> "); }

}  // namespace
}  // namespace cel
