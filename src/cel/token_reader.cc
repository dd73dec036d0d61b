#include "cel/token_reader.h"

#include <algorithm>

namespace cel {
namespace {

constexpr int kMaxReports = 100;
constexpr int kMaxAttempts = 30;
constexpr int kMaxTokensLeftOut = 256;

std::string Shown(const Lexeme& lexeme) {
  if (lexeme.token == Token::kEnd) return "'<EOF>'";
  std::string out = "'";
  for (char c : lexeme.text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

std::string TokenSet::Text() const {
  std::string out;
  int count = 0;
  for (int i = 0; i <= static_cast<int>(Token::kIdentifier); ++i) {
    if (!Has(static_cast<Token>(i))) continue;
    if (count++ > 0) out += ", ";
    out += TokenName(static_cast<Token>(i));
  }
  return count == 1 ? out : "{" + out + "}";
}

TokenReader::TokenReader(const Source& source, Issues& issues)
    : source_(source), issues_(issues), tokens_(Tokenize(source, issues, kMaxReports)) {}

void TokenReader::Report(const Lexeme& at, std::string message) {
  if (recovering_) return;
  recovering_ = true;
  if (reports_++ == kMaxReports) {
    issues_.Add(source_.At(at.offset), "Syntax error: More than " + std::to_string(kMaxReports) + " syntax errors");
    dead_ = true;
    return;
  }
  issues_.Add(source_.At(at.offset), "Syntax error: " + std::move(message));
}

void TokenReader::Fail(std::string message) {
  if (!dead_) issues_.Add({}, std::move(message));
  dead_ = true;
}

TokenSet TokenReader::Expected(TokenSet local) const {
  TokenSet all = local;
  for (size_t i = open_.size(); all.may_end(); --i) {
    if (i == 0) return all.WithoutEnd() | TokenSet{Token::kEnd};
    all = all.WithoutEnd() | open_[i - 1];
  }
  return all;
}

TokenSet TokenReader::RecoverySet() const {
  TokenSet all;
  for (TokenSet follow : open_) all = all | follow;
  return all.WithoutEnd();
}

void TokenReader::Matched() {
  recovering_ = false;
  last_error_ = ~size_t{0};
  last_places_.clear();
}

const Lexeme& TokenReader::Take() {
  const Lexeme& now = Now();
  Matched();
  if (now.token != Token::kEnd) ++at_;
  return now;
}

bool TokenReader::CountAttempt() {
  if (attempts_++ < kMaxAttempts) return true;
  issues_.Add(source_.At(Now().offset),
              "Syntax error: error recovery attempt limit exceeded: " + std::to_string(kMaxAttempts));
  dead_ = true;
  return false;
}

void TokenReader::Unwanted(TokenSet expected) {
  Report(Now(), "extraneous input " + Shown(Now()) + " expecting " + expected.Text());
}

bool TokenReader::SingleTokenDeletion(TokenSet expected) {
  if (!expected.Has(La(1)) || La() == Token::kEnd) return false;
  Unwanted(expected);
  ++at_;
  Matched();
  return true;
}

bool TokenReader::Match(Token token, TokenSet after, const Lexeme** taken) {
  static constexpr Lexeme kMissing{Token::kIdentifier, -1, "<missing>"};
  if (dead_) return false;
  if (La() == token) {
    const Lexeme& lexeme = Take();
    if (taken != nullptr) *taken = &lexeme;
    return true;
  }
  if (!CountAttempt()) return false;
  TokenSet expected{token};
  if (SingleTokenDeletion(expected)) {
    const Lexeme& lexeme = Now();
    if (lexeme.token != Token::kEnd) ++at_;
    if (taken != nullptr) *taken = &lexeme;
    return true;
  }
  if (token != Token::kEnd && Expected(after).Has(La())) {
    Report(Now(), "missing " + expected.Text() + " at " + Shown(Now()));
    if (taken != nullptr) *taken = &kMissing;
    return !dead_;
  }
  Report(Now(), "mismatched input " + Shown(Now()) + " expecting " + expected.Text());
  return false;
}

bool TokenReader::Sync(TokenSet expected) {
  if (dead_) return false;
  if (recovering_ || expected.may_end() || expected.Has(La())) return true;
  if (SingleTokenDeletion(expected)) return true;
  Report(Now(), "mismatched input " + Shown(Now()) + " expecting " + expected.Text());
  return false;
}

void TokenReader::SyncLoop(TokenSet expected) {
  if (dead_ || recovering_ || expected.may_end() || expected.Has(La())) return;
  Unwanted(expected);
  ConsumeUntil(expected | RecoverySet(), false);
}

bool TokenReader::NoViable(int ahead, int place) {
  (void)place;
  if (dead_) return false;
  const Lexeme& first = Now();
  const Lexeme& offending = Now(ahead);
  std::string message;
  if (first.token == Token::kEnd) {
    message = "no viable alternative at input '<EOF>'";
  } else {
    std::string text;
    for (int i = 0; i <= ahead; ++i) text += Now(i).text;
    message = "no viable alternative at input " + Shown({Token::kIdentifier, 0, text});
    Token last = offending.token;
    if (ahead == 1 && first.text.size() == 1 &&
        (last == Token::kTrue || last == Token::kFalse || last == Token::kNull)) {
      message = "mismatched input " + Shown(offending) + " expecting IDENTIFIER";
    }
  }
  Report(offending, std::move(message));
  return false;
}

void TokenReader::ConsumeUntil(TokenSet set, bool bounded) {
  int left_out = 0;
  while (La() != Token::kEnd && !set.Has(La())) {
    if (bounded && left_out++ >= kMaxTokensLeftOut) {
      Fail("error recovery token lookahead limit exceeded: " + std::to_string(kMaxTokensLeftOut));
      return;
    }
    ++at_;
  }
}

void TokenReader::Recover(int place) {
  if (dead_ || !CountAttempt()) return;
  if (last_error_ == at_ && std::find(last_places_.begin(), last_places_.end(), place) != last_places_.end() &&
      La() != Token::kEnd)
    ++at_;
  last_error_ = at_;
  last_places_.push_back(place);
  ConsumeUntil(RecoverySet(), true);
}

}  // namespace cel
