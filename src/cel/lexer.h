// Tokens of expressions, as the grammar of CEL has them: the longest match; what is no token is an issue and is left
// out. Linear in the text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cel/source.h"

namespace cel {

// In the order of the grammar, which is that of the names in error texts.
enum class Token : uint8_t {
  kEnd,
  kEquals,
  kNotEquals,
  kIn,
  kLess,
  kLessEquals,
  kGreaterEquals,
  kGreater,
  kAnd,
  kOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
  kTrue,
  kFalse,
  kNull,
  kFloat,
  kInt,
  kUint,
  kString,
  kBytes,
  kIdentifier,
};

struct Lexeme {
  Token token = Token::kEnd;
  int32_t offset = 0;     // code points
  std::string_view text;  // "" at the end
};

// The last one is kEnd. At most `max_issues` issues are added; with one more the lexer gives up.
std::vector<Lexeme> Tokenize(const Source& source, Issues& issues, int max_issues);

// As error texts write it: "'('", "IDENTIFIER", "<EOF>".
std::string_view TokenName(Token token);

}  // namespace cel
