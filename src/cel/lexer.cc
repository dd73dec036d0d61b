#include "cel/lexer.h"

#include <array>
#include <string>

namespace cel {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// How far a token goes and where the search for a longer one ended.
struct Match {
  Token token = Token::kEnd;
  size_t end = 0;   // 0: none
  size_t died = 0;  // the first byte that no token could take
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Match At(size_t at) {
    at_ = at;
    best_ = {};
    best_.died = at;
    char c = text_[at];
    if (IsLetter(c)) {
      Word();
    } else if (IsDigit(c) || (c == '.' && at + 1 < text_.size() && IsDigit(text_[at + 1]))) {
      Number();
    } else if (c == '"' || c == '\'') {
      String(at, false, Token::kString);
    } else {
      Symbol();
    }
    return best_;
  }

 private:
  char Get(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  bool Has(size_t at) const { return at < text_.size(); }
  void Accept(Token token, size_t end) {
    if (end > best_.end) best_ = {token, end, std::max(best_.died, end)};
  }
  void Died(size_t at) { best_.died = std::max(best_.died, at); }

  void Word() {
    size_t end = at_;
    while (Has(end) && (IsLetter(text_[end]) || IsDigit(text_[end]))) ++end;
    std::string_view word = text_.substr(at_, end - at_);
    Token token = word == "in"      ? Token::kIn
                  : word == "true"  ? Token::kTrue
                  : word == "false" ? Token::kFalse
                  : word == "null"  ? Token::kNull
                                    : Token::kIdentifier;
    Accept(token, end);
    size_t quote = at_;
    Token kind = Token::kString;
    bool raw = false;
    if (text_[quote] == 'b' || text_[quote] == 'B') {
      kind = Token::kBytes;
      ++quote;
    }
    if (Get(quote) == 'r' || Get(quote) == 'R') {
      raw = true;
      ++quote;
    }
    if (quote > at_ && (Get(quote) == '"' || Get(quote) == '\'')) String(quote, raw, kind);
  }

  void Number() {
    size_t at = at_;
    if (text_[at] == '0' && Get(at + 1) == 'x' && IsHex(Get(at + 2))) {
      at += 2;
      while (IsHex(Get(at))) ++at;
      Accept(Token::kInt, at);
      if (Get(at) == 'u' || Get(at) == 'U') Accept(Token::kUint, at + 1);
      return;
    }
    while (IsDigit(Get(at))) ++at;
    if (at > at_) {
      Accept(Token::kInt, at);
      if (Get(at) == 'u' || Get(at) == 'U') Accept(Token::kUint, at + 1);
    }
    if (Get(at) == '.' && IsDigit(Get(at + 1))) {
      ++at;
      while (IsDigit(Get(at))) ++at;
      Accept(Token::kFloat, at);
    }
    if (Get(at) != 'e' && Get(at) != 'E') return;
    ++at;
    if (Get(at) == '+' || Get(at) == '-') ++at;
    if (!IsDigit(Get(at))) return;
    while (IsDigit(Get(at))) ++at;
    Accept(Token::kFloat, at);
  }

  // The string that begins with the quote at `quote`, and its prefix at at_.
  void String(size_t quote, bool raw, Token kind) {
    char mark = text_[quote];
    if (Get(quote + 1) == mark && Get(quote + 2) == mark) {
      Accept(kind, quote + 2);  // the empty string
      Body(quote + 3, mark, raw, true, kind);
    } else {
      Body(quote + 1, mark, raw, false, kind);
    }
  }

  void Body(size_t at, char mark, bool raw, bool triple, Token kind) {
    while (Has(at)) {
      char c = text_[at];
      if (c == mark) {
        if (!triple) return Accept(kind, at + 1);
        if (Get(at + 1) == mark && Get(at + 2) == mark) return Accept(kind, at + 3);
        ++at;
        continue;
      }
      if (!triple && (c == '\n' || c == '\r')) return Died(at);
      if (c == '\\' && !raw) {
        size_t end = Escape(at);
        if (end == 0) return;
        at = end;
        continue;
      }
      ++at;
    }
    Died(at);
  }

  // The end of the escape sequence at `at`; 0 if it is none.
  size_t Escape(size_t at) {
    char c = Get(at + 1);
    if (!Has(at + 1)) return Died(at + 1), 0;
    if (std::string_view("abfnrtv\"'\\?`").contains(c)) return at + 2;
    size_t count = 0;
    bool octal = false;
    if (c == 'x' || c == 'X') count = 2;
    if (c == 'u') count = 4;
    if (c == 'U') count = 8;
    if (c >= '0' && c <= '3') {
      count = 2;
      octal = true;
    }
    if (count == 0) return Died(at + 1), 0;
    for (size_t i = 0; i < count; ++i) {
      char digit = Get(at + 2 + i);
      if (!Has(at + 2 + i) || (octal ? !IsOctal(digit) : !IsHex(digit))) return Died(at + 2 + i), 0;
    }
    return at + 2 + count;
  }

  void Symbol() {
    struct Pair {
      std::string_view text;
      Token token;
    };
    static constexpr Pair kSymbols[] = {
        {"==", Token::kEquals},        {"!=", Token::kNotEquals}, {"<=", Token::kLessEquals},
        {">=", Token::kGreaterEquals}, {"&&", Token::kAnd},       {"||", Token::kOr},
        {"<", Token::kLess},           {">", Token::kGreater},    {"[", Token::kLeftBracket},
        {"]", Token::kRightBracket},   {"{", Token::kLeftBrace},  {"}", Token::kRightBrace},
        {"(", Token::kLeftParen},      {")", Token::kRightParen}, {".", Token::kDot},
        {",", Token::kComma},          {"-", Token::kMinus},      {"!", Token::kNot},
        {"?", Token::kQuestion},       {":", Token::kColon},      {"+", Token::kPlus},
        {"*", Token::kStar},           {"/", Token::kSlash},      {"%", Token::kPercent},
    };
    std::string_view rest = text_.substr(at_);
    for (const Pair& pair : kSymbols) {
      if (rest.starts_with(pair.text)) return Accept(pair.token, at_ + pair.text.size());
    }
    if (rest[0] == '=' || rest[0] == '&' || rest[0] == '|') Died(at_ + 1);
  }

  std::string_view text_;
  size_t at_ = 0;
  Match best_;
};

size_t Width(char lead) {
  auto c = static_cast<unsigned char>(lead);
  return c < 0xC2 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 1;
}

int32_t Count(std::string_view text) {
  int32_t count = 0;
  for (char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

}  // namespace

std::vector<Lexeme> Tokenize(const Source& source, Issues& issues, int max_issues) {
  std::string_view text = source.text();
  std::vector<Lexeme> out;
  out.reserve(text.size() / 3 + 4);
  Scanner scanner(text);
  int32_t offset = 0;
  int reported = 0;
  size_t at = 0;
  while (at < text.size()) {
    char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      ++at;
      ++offset;
      continue;
    }
    if (c == '/' && at + 1 < text.size() && text[at + 1] == '/') {
      size_t end = std::min(text.find('\n', at), text.size());
      offset += Count(text.substr(at, end - at));
      at = end;
      continue;
    }
    Match match = scanner.At(at);
    if (match.end > 0) {
      std::string_view word = text.substr(at, match.end - at);
      out.push_back({match.token, offset, word});
      bool plain = match.token != Token::kString && match.token != Token::kBytes;
      offset += plain ? static_cast<int32_t>(word.size()) : Count(word);
      at = match.end;
      continue;
    }
    // The text up to and with the character at which no token was possible any more; the search goes on after it.
    size_t end = match.died < text.size() ? std::min(match.died + Width(text[match.died]), text.size()) : text.size();
    if (reported++ == max_issues) {
      issues.Add(source.At(offset), "Syntax error: More than " + std::to_string(max_issues) + " syntax errors");
      break;
    }
    issues.Add(source.At(offset),
               "Syntax error: token recognition error at: '" + std::string(text.substr(at, end - at)) + "'");
    offset += Count(text.substr(at, end - at));
    at = end;
  }
  out.push_back({Token::kEnd, source.size(), {}});
  return out;
}

std::string_view TokenName(Token token) {
  static constexpr std::array<std::string_view, 35> kNames = {
      "<EOF>",   "'=='",   "'!='",      "'in'",    "'<'",      "'<='",   "'>='",  "'>'",        "'&&'",
      "'||'",    "'['",    "']'",       "'{'",     "'}'",      "'('",    "')'",   "'.'",        "','",
      "'-'",     "'!'",    "'?'",       "':'",     "'+'",      "'*'",    "'/'",   "'%'",        "'true'",
      "'false'", "'null'", "NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES", "IDENTIFIER",
  };
  return kNames[static_cast<size_t>(token)];
}

}  // namespace cel
