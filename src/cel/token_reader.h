// What a recursive descent needs to find, report and survive syntax errors as ANTLR's parsers do: one token left out,
// one token put in, or on to a token that some rule that is open waits for. The reference's texts come from there.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "cel/lexer.h"
#include "cel/source.h"

namespace cel {

// A set of tokens; kRuleEnd says that the rule may end here.
class TokenSet {
 public:
  constexpr TokenSet() = default;
  constexpr TokenSet(std::initializer_list<Token> tokens) {
    for (Token token : tokens) bits_ |= Bit(token);
  }
  static constexpr TokenSet RuleEnd() {
    TokenSet set;
    set.bits_ = kEndBit;
    return set;
  }
  constexpr TokenSet operator|(TokenSet other) const {
    other.bits_ |= bits_;
    return other;
  }
  constexpr bool Has(Token token) const { return (bits_ & Bit(token)) != 0; }
  constexpr bool may_end() const { return (bits_ & kEndBit) != 0; }
  constexpr TokenSet WithoutEnd() const {
    TokenSet set = *this;
    set.bits_ &= ~kEndBit;
    return set;
  }
  // "'('", "{']', ','}".
  std::string Text() const;

 private:
  static constexpr uint64_t kEndBit = uint64_t{1} << 63;
  static constexpr uint64_t Bit(Token token) { return uint64_t{1} << static_cast<int>(token); }
  uint64_t bits_ = 0;
};

class TokenReader {
 public:
  TokenReader(const Source& source, Issues& issues);

  const Lexeme& Now(int ahead = 0) const {
    size_t at = at_ + static_cast<size_t>(ahead);
    return tokens_[at < tokens_.size() ? at : tokens_.size() - 1];
  }
  Token La(int ahead = 0) const { return Now(ahead).token; }

  // An open rule, and what follows it where it was called.
  void Enter(TokenSet follow) { open_.push_back(follow); }
  void Leave() { open_.pop_back(); }

  // Takes a token of that kind. False: an error was met that the rule cannot go on after (Recover then).
  bool Match(Token token, TokenSet after, const Lexeme** taken = nullptr);
  // Takes the token that La() was tested to be.
  const Lexeme& Take();
  // Before a choice between tokens. False as Match.
  bool Sync(TokenSet expected);
  // Before another turn of a loop that needs one of `expected`.
  void SyncLoop(TokenSet expected);
  // No alternative fits the tokens from here to `ahead`: always false.
  bool NoViable(int ahead, int place);
  // Leaves tokens out until one that an open rule waits for.
  void Recover(int place);

  void Fail(std::string message);  // an error that ends the parsing, at no place
  bool dead() const { return dead_; }

 private:
  TokenSet Expected(TokenSet local) const;
  TokenSet RecoverySet() const;
  void Report(const Lexeme& at, std::string message);
  bool SingleTokenDeletion(TokenSet expected);
  void Unwanted(TokenSet expected);
  void Matched();
  bool CountAttempt();
  void ConsumeUntil(TokenSet set, bool bounded);

  const Source& source_;
  Issues& issues_;
  std::vector<Lexeme> tokens_;
  std::vector<TokenSet> open_;
  size_t at_ = 0;
  bool recovering_ = false;
  bool dead_ = false;
  int reports_ = 0;
  int attempts_ = 0;
  size_t last_error_ = ~size_t{0};
  std::vector<int> last_places_;
};

}  // namespace cel
