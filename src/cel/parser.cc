#include "cel/parser.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "cel/macros.h"
#include "cel/token_reader.h"
#include "cel/unescape.h"

namespace cel {
namespace {

constexpr TokenSet kEndOfRule = TokenSet::RuleEnd();
constexpr TokenSet kLiteralStart{Token::kMinus, Token::kTrue, Token::kFalse,  Token::kNull, Token::kFloat,
                                 Token::kInt,   Token::kUint, Token::kString, Token::kBytes};
constexpr TokenSet kPrimaryStart = kLiteralStart | TokenSet{Token::kLeftBracket, Token::kLeftBrace, Token::kLeftParen,
                                                            Token::kDot, Token::kIdentifier};
constexpr TokenSet kExprStart = kPrimaryStart | TokenSet{Token::kNot};
constexpr TokenSet kRelations{Token::kEquals,     Token::kNotEquals,     Token::kIn,     Token::kLess,
                              Token::kLessEquals, Token::kGreaterEquals, Token::kGreater};
constexpr TokenSet kCalculations{Token::kStar, Token::kSlash, Token::kPercent, Token::kPlus, Token::kMinus};
constexpr TokenSet kMemberGoesOn = TokenSet{Token::kDot, Token::kLeftBracket} | kEndOfRule;

// The grammar's rules, as the places at which errors are recovered from and as the depths that are counted.
enum Rule {
  kRuleStart,
  kRuleExpr,
  kRuleOr,
  kRuleAnd,
  kRuleRelation,
  kRuleCalc,
  kRuleUnary,
  kRuleMember,
  kRulePrimary,
  kRuleExprList,
  kRuleListInit,
  kRuleFieldList,
  kRuleOptField,
  kRuleMapList,
  kRuleOptExpr,
  kRuleLiteral,
  kRuleCount
};

bool IsReserved(std::string_view name) {
  static constexpr std::string_view kReserved[] = {"as",        "break",  "const",  "continue", "else", "for",
                                                   "function",  "if",     "import", "let",      "loop", "package",
                                                   "namespace", "return", "var",    "void",     "while"};
  for (std::string_view reserved : kReserved) {
    if (name == reserved) return true;
  }
  return false;
}

std::string_view Operator(Token token) {
  switch (token) {
    case Token::kEquals:
      return "_==_";
    case Token::kNotEquals:
      return "_!=_";
    case Token::kIn:
      return "@in";
    case Token::kLess:
      return "_<_";
    case Token::kLessEquals:
      return "_<=_";
    case Token::kGreater:
      return "_>_";
    case Token::kGreaterEquals:
      return "_>=_";
    case Token::kPlus:
      return "_+_";
    case Token::kMinus:
      return "_-_";
    case Token::kStar:
      return "_*_";
    case Token::kSlash:
      return "_/_";
    default:
      return "_%_";
  }
}

class Parser {
 public:
  Parser(const Environment& environment, Ast& ast, Issues& issues)
      : environment_(environment), ast_(ast), issues_(issues), reader_(ast.source, issues), maker_(ast) {}

  Expr* Start() {
    Open open(*this, kRuleStart, {});
    Expr* root = ParseExpr({Token::kEnd});
    if (!reader_.Match(Token::kEnd, kEndOfRule)) reader_.Recover(kRuleStart);
    return root;
  }

 private:
  // A rule from its begin to its end.
  class Open {
   public:
    Open(Parser& parser, Rule rule, TokenSet follow) : parser_(parser), rule_(rule) {
      if (rule != kRuleStart) parser.reader_.Enter(follow);
      if (++parser.depths_[rule] > parser.environment_.options().max_depth) {
        parser.reader_.Fail("expression recursion limit exceeded: " +
                            std::to_string(parser.environment_.options().max_depth));
      }
    }
    ~Open() {
      if (rule_ != kRuleStart) parser_.reader_.Leave();
      --parser_.depths_[rule_];
    }
    Open(const Open&) = delete;

   private:
    Parser& parser_;
    Rule rule_;
  };

  bool dead() const { return reader_.dead(); }
  Token La(int ahead = 0) const { return reader_.La(ahead); }

  Expr* Bad(Rule rule) {
    reader_.Recover(rule);
    return maker_.Error(-1);
  }
  Expr* Bad(Rule rule, Expr* so_far) {
    reader_.Recover(rule);
    return so_far != nullptr ? so_far : maker_.Error(-1);
  }

  Expr* Deep(Expr* expr, std::initializer_list<const Expr*> parts) {
    uint16_t depth = expr->depth;
    for (const Expr* part : parts) depth = std::max(depth, part->depth);
    expr->depth = static_cast<uint16_t>(depth + 1);
    if (expr->depth > environment_.options().max_depth) reader_.Fail("max recursion depth exceeded");
    return expr;
  }

  Expr* Call(int32_t offset, std::string_view function, std::initializer_list<Expr*> args) {
    return Deep(maker_.Call(offset, function, args), {});
  }

  Expr* ParseExpr(TokenSet follow) {
    Open open(*this, kRuleExpr, follow);
    if (dead()) return maker_.Error(-1);
    Expr* condition = ParseOr(TokenSet{Token::kQuestion} | kEndOfRule);
    if (dead() || La() != Token::kQuestion) return condition;
    int32_t at = reader_.Take().offset;
    Expr* yes = ParseOr({Token::kColon});
    if (!reader_.Match(Token::kColon, kExprStart)) return Bad(kRuleExpr);
    Expr* no = ParseExpr(kEndOfRule);
    return Call(at, "_?_:_", {condition, yes, no});
  }

  // Terms joined by `op`, as a balanced tree.
  Expr* Balanced(std::string_view function, const std::vector<Expr*>& terms, const std::vector<int32_t>& ops,
                 size_t low, size_t high) {
    size_t middle = (low + high + 1) / 2;
    Expr* left = middle == low ? terms[middle] : Balanced(function, terms, ops, low, middle - 1);
    Expr* right = middle == high ? terms[middle + 1] : Balanced(function, terms, ops, middle + 1, high);
    return maker_.Call(ops[middle], function, {left, right});
  }

  Expr* ParseOr(TokenSet follow) {
    Open open(*this, kRuleOr, follow);
    if (dead()) return maker_.Error(-1);
    Expr* first = ParseAnd(TokenSet{Token::kOr} | kEndOfRule);
    if (dead() || La() != Token::kOr) return first;
    std::vector<Expr*> terms{first};
    std::vector<int32_t> ops;
    while (!dead() && La() == Token::kOr) {
      ops.push_back(reader_.Take().offset);
      terms.push_back(ParseAnd(TokenSet{Token::kOr} | kEndOfRule));
    }
    return Balanced("_||_", terms, ops, 0, ops.size() - 1);
  }

  Expr* ParseAnd(TokenSet follow) {
    Open open(*this, kRuleAnd, follow);
    if (dead()) return maker_.Error(-1);
    Expr* first = ParseRelation(TokenSet{Token::kAnd} | kEndOfRule, 1);
    if (dead() || La() != Token::kAnd) return first;
    std::vector<Expr*> terms{first};
    std::vector<int32_t> ops;
    while (!dead() && La() == Token::kAnd) {
      ops.push_back(reader_.Take().offset);
      terms.push_back(ParseRelation(TokenSet{Token::kAnd} | kEndOfRule, 1));
    }
    return Balanced("_&&_", terms, ops, 0, ops.size() - 1);
  }

  // `level` 2: only what binds tighter than a relation, so that relations group to the left.
  Expr* ParseRelation(TokenSet follow, int level) {
    Open open(*this, kRuleRelation, follow);
    if (dead()) return maker_.Error(-1);
    Expr* left = ParseCalc(kRelations | kEndOfRule, 1);
    while (!dead() && level == 1 && kRelations.Has(La())) {
      const Lexeme& op = reader_.Take();
      Expr* right = ParseRelation(kRelations | kEndOfRule, 2);
      left = Call(op.offset, Operator(op.token), {left, right});
    }
    return left;
  }

  // `level` 1: sums, 2: products, 3: neither.
  Expr* ParseCalc(TokenSet follow, int level) {
    Open open(*this, kRuleCalc, follow);
    if (dead()) return maker_.Error(-1);
    Expr* left = ParseUnary(kCalculations | kEndOfRule);
    while (!dead() && kCalculations.Has(La())) {
      bool sum = La() == Token::kPlus || La() == Token::kMinus;
      if (level > (sum ? 1 : 2)) break;
      const Lexeme& op = reader_.Take();
      Expr* right = ParseCalc(kCalculations | kEndOfRule, sum ? 2 : 3);
      left = Call(op.offset, Operator(op.token), {left, right});
    }
    return left;
  }

  Expr* ParseUnary(TokenSet follow) {
    Open open(*this, kRuleUnary, follow);
    if (dead()) return maker_.Error(-1);
    if (!reader_.Sync(kExprStart)) return Bad(kRuleUnary);
    if (La() == Token::kNot) {
      int32_t at = La() == Token::kNot ? reader_.Now().offset : 0;
      size_t count = 0;
      while (!dead() && La() == Token::kNot) {
        reader_.Take();
        ++count;
        reader_.SyncLoop(kPrimaryStart | TokenSet{Token::kNot});
      }
      Expr* operand = ParseMember(kEndOfRule);
      return count % 2 == 0 ? operand : maker_.Call(at, "!_", {operand});
    }
    if (La() == Token::kMinus) {
      TokenSet after_minus = kPrimaryStart;
      if (!after_minus.Has(La(1))) {
        reader_.NoViable(1, kRuleUnary);
        return Bad(kRuleUnary);
      }
      if (La(1) != Token::kInt && La(1) != Token::kFloat) {
        int32_t at = reader_.Now().offset;
        size_t count = 0;
        while (!dead() && La() == Token::kMinus) {
          if (!after_minus.Has(La(1))) {
            reader_.NoViable(1, kRuleUnary);
            return Bad(kRuleUnary);
          }
          reader_.Take();
          ++count;
        }
        Expr* operand = ParseMember(kEndOfRule);
        return count % 2 == 0 ? operand : maker_.Call(at, "-_", {operand});
      }
    }
    if (!kPrimaryStart.Has(La())) {  // only while recovering
      reader_.NoViable(0, kRuleUnary);
      return Bad(kRuleUnary);
    }
    return ParseMember(kEndOfRule);
  }

  Expr* ParseMember(TokenSet follow) {
    Open open(*this, kRuleMember, follow);
    if (dead()) return maker_.Error(-1);
    Expr* operand = ParsePrimary(kMemberGoesOn);
    while (!dead()) {
      if (La() == Token::kDot) {
        Token next = La(1);
        if (next != Token::kQuestion && next != Token::kIdentifier) {
          reader_.NoViable(1, kRuleMember);
          return Bad(kRuleMember, operand);
        }
        bool call = next == Token::kIdentifier && La(2) == Token::kLeftParen;
        if (!(call ? MemberCall(operand) : Select(operand))) return Bad(kRuleMember, operand);
      } else if (La() == Token::kLeftBracket) {
        if (!Index(operand)) return Bad(kRuleMember, operand);
      } else {
        break;
      }
    }
    return operand;
  }

  bool Select(Expr*& operand) {
    int32_t at = reader_.Take().offset;
    bool optional = false;
    if (La() == Token::kQuestion) {
      reader_.Take();
      optional = true;
    }
    const Lexeme* id = nullptr;
    if (!reader_.Match(Token::kIdentifier, kMemberGoesOn, &id)) return false;
    if (optional) {
      if (!environment_.has_optionals()) {
        issues_.Add(ast_.source.At(at), "unsupported syntax '.?'");
        operand = maker_.Error(at);
        return true;
      }
      Expr* field = maker_.Literal(id->offset, Value::String(maker_.Keep(id->text)));
      operand = Call(at, "_?._", {operand, field});
      return true;
    }
    operand = Deep(maker_.Select(at, operand, id->text), {});
    return true;
  }

  bool MemberCall(Expr*& operand) {
    reader_.Take();
    std::string_view name = reader_.Take().text;
    int32_t at = reader_.Take().offset;
    std::vector<Expr*> args;
    if (!Arguments(args)) return false;
    if (!reader_.Match(Token::kRightParen, kMemberGoesOn)) return false;
    Expr* call = maker_.CallOrMacro(environment_, issues_, at, name, operand, args);
    uint16_t depth = operand->depth;
    for (const Expr* arg : args) depth = std::max(depth, arg->depth);
    call->depth = depth;
    operand = Deep(call, {});
    return true;
  }

  bool Index(Expr*& operand) {
    int32_t at = reader_.Take().offset;
    if (!reader_.Sync(kExprStart | TokenSet{Token::kQuestion})) return false;
    bool optional = false;
    if (La() == Token::kQuestion) {
      reader_.Take();
      optional = true;
    }
    Expr* index = ParseExpr({Token::kRightBracket});
    if (!reader_.Match(Token::kRightBracket, kMemberGoesOn)) return false;
    if (optional && !environment_.has_optionals()) {
      issues_.Add(ast_.source.At(at), "unsupported syntax '[?'");
      operand = maker_.Error(at);
      return true;
    }
    operand = Call(at, optional ? "_[?_]" : "_[_]", {operand, index});
    return true;
  }

  bool Arguments(std::vector<Expr*>& args) {
    if (!reader_.Sync(kExprStart | TokenSet{Token::kRightParen})) return false;
    if (!kExprStart.Has(La())) return true;
    Open open(*this, kRuleExprList, {Token::kRightParen});
    args.push_back(ParseExpr(TokenSet{Token::kComma} | kEndOfRule));
    while (!dead() && La() == Token::kComma) {
      reader_.Take();
      args.push_back(ParseExpr(TokenSet{Token::kComma} | kEndOfRule));
    }
    return !dead();
  }

  Expr* ParsePrimary(TokenSet follow) {
    Open open(*this, kRulePrimary, follow);
    if (dead()) return maker_.Error(-1);
    if (!reader_.Sync(kPrimaryStart)) return Bad(kRulePrimary);
    switch (La()) {
      case Token::kLeftParen: {
        reader_.Take();
        Expr* inner = ParseExpr({Token::kRightParen});
        if (!reader_.Match(Token::kRightParen, kEndOfRule)) return Bad(kRulePrimary, inner);
        return inner;
      }
      case Token::kLeftBracket:
        return ParseList();
      case Token::kLeftBrace:
        return ParseMap();
      case Token::kDot:
      case Token::kIdentifier:
        return ParseName();
      default:
        if (kLiteralStart.Has(La())) return ParseLiteral();
        reader_.NoViable(0, kRulePrimary);
        return Bad(kRulePrimary);
    }
  }

  Expr* ParseName() {
    int ahead = La() == Token::kDot ? 1 : 0;
    if (La(ahead) != Token::kIdentifier) {
      reader_.NoViable(ahead, kRulePrimary);
      return Bad(kRulePrimary);
    }
    int end = ahead + 1;
    while (La(end) == Token::kDot && La(end + 1) == Token::kIdentifier) end += 2;
    if (La(end) == Token::kLeftBrace) return ParseMessage();
    int32_t start = reader_.Now().offset;
    bool leading_dot = ahead == 1;
    if (leading_dot) reader_.Take();
    const Lexeme& id = reader_.Take();
    std::string_view name = leading_dot ? maker_.Join(".", id.text) : maker_.Keep(id.text);
    bool call = La() == Token::kLeftParen;
    int32_t at = 0;
    std::vector<Expr*> args;
    if (call) {
      at = reader_.Take().offset;
      if (!Arguments(args) || !reader_.Match(Token::kRightParen, kEndOfRule)) return Bad(kRulePrimary);
    }
    if (IsReserved(id.text)) {
      issues_.Add(ast_.source.At(start), "reserved identifier: " + std::string(id.text));
      return maker_.Error(start);
    }
    if (!call) return maker_.Ident(id.offset, name);
    return maker_.CallOrMacro(environment_, issues_, at, name, nullptr, args);
  }

  bool OptionalMark() {
    if (La() != Token::kQuestion) return false;
    const Lexeme& mark = reader_.Take();
    if (environment_.has_optionals()) return true;
    issues_.Add(ast_.source.At(mark.offset), "unsupported syntax '?'");
    return false;
  }

  Expr* ParseList() {
    int32_t at = reader_.Take().offset;
    if (!reader_.Sync(kExprStart | TokenSet{Token::kQuestion, Token::kComma, Token::kRightBracket}))
      return Bad(kRulePrimary);
    std::vector<Expr*> items;
    std::vector<uint8_t> optional;
    if (kExprStart.Has(La()) || La() == Token::kQuestion) {
      Open open(*this, kRuleListInit, {Token::kComma, Token::kRightBracket});
      do {
        if (!items.empty()) reader_.Take();
        Open item(*this, kRuleOptExpr, TokenSet{Token::kComma} | kEndOfRule);
        optional.push_back(OptionalMark());
        items.push_back(ParseExpr(kEndOfRule));
      } while (!dead() && La() == Token::kComma && (kExprStart.Has(La(1)) || La(1) == Token::kQuestion));
    }
    if (!reader_.Sync({Token::kComma, Token::kRightBracket})) return Bad(kRulePrimary);
    if (La() == Token::kComma) reader_.Take();
    if (!reader_.Match(Token::kRightBracket, kEndOfRule)) return Bad(kRulePrimary);
    return maker_.List(at, items, optional);
  }

  Expr* ParseMap() {
    int32_t at = reader_.Take().offset;
    if (!reader_.Sync(kExprStart | TokenSet{Token::kQuestion, Token::kComma, Token::kRightBrace}))
      return Bad(kRulePrimary);
    std::vector<Expr*> parts;
    std::vector<uint8_t> optional;
    std::vector<int32_t> colons;
    if (kExprStart.Has(La()) || La() == Token::kQuestion) {
      Open open(*this, kRuleMapList, {Token::kComma, Token::kRightBrace});
      do {
        if (!parts.empty()) reader_.Take();
        Expr* key = nullptr;
        {
          Open entry(*this, kRuleOptExpr, {Token::kColon});
          optional.push_back(OptionalMark());
          key = ParseExpr(kEndOfRule);
        }
        const Lexeme* colon = nullptr;
        if (!reader_.Match(Token::kColon, kExprStart, &colon)) {
          reader_.Recover(kRuleMapList);
          break;
        }
        Expr* item = ParseExpr(TokenSet{Token::kComma} | kEndOfRule);
        colons.push_back(colon->offset);
        parts.push_back(key);
        parts.push_back(item);
      } while (!dead() && La() == Token::kComma && (kExprStart.Has(La(1)) || La(1) == Token::kQuestion));
    }
    if (!reader_.Sync({Token::kComma, Token::kRightBrace})) return Bad(kRulePrimary);
    if (La() == Token::kComma) reader_.Take();
    if (!reader_.Match(Token::kRightBrace, kEndOfRule)) return Bad(kRulePrimary);
    return maker_.Map(at, parts, optional, colons);
  }

  Expr* ParseMessage() {
    std::string name;
    if (La() == Token::kDot) {
      reader_.Take();
      name = ".";
    }
    name += reader_.Take().text;
    while (La() == Token::kDot) {
      reader_.Take();
      name += '.';
      name += reader_.Take().text;
    }
    int32_t at = reader_.Take().offset;
    if (!reader_.Sync({Token::kIdentifier, Token::kQuestion, Token::kComma, Token::kRightBrace}))
      return Bad(kRulePrimary);
    std::vector<Expr*> parts;
    std::vector<uint8_t> optional;
    std::vector<int32_t> colons;
    std::vector<std::string_view> fields;
    if (La() == Token::kIdentifier || La() == Token::kQuestion) {
      Open open(*this, kRuleFieldList, {Token::kComma, Token::kRightBrace});
      do {
        if (!parts.empty()) reader_.Take();
        const Lexeme* id = nullptr;
        {
          Open field(*this, kRuleOptField, {Token::kColon});
          bool mark = OptionalMark();
          if (!reader_.Match(Token::kIdentifier, kEndOfRule, &id)) {
            reader_.Recover(kRuleOptField);
            id = nullptr;
          }
          optional.push_back(mark);
        }
        const Lexeme* colon = nullptr;
        if (!reader_.Match(Token::kColon, kExprStart, &colon)) {
          reader_.Recover(kRuleFieldList);
          break;
        }
        Expr* item = ParseExpr(TokenSet{Token::kComma} | kEndOfRule);
        if (id == nullptr) break;
        fields.push_back(maker_.Keep(id->text));
        colons.push_back(colon->offset);
        parts.push_back(item);
      } while (!dead() && La() == Token::kComma && (La(1) == Token::kIdentifier || La(1) == Token::kQuestion));
    }
    if (!reader_.Sync({Token::kComma, Token::kRightBrace})) return Bad(kRulePrimary);
    if (La() == Token::kComma) reader_.Take();
    if (!reader_.Match(Token::kRightBrace, kEndOfRule)) return Bad(kRulePrimary);
    return maker_.Struct(at, maker_.Keep(name), fields, parts, optional, colons);
  }

  Expr* ParseLiteral() {
    Open open(*this, kRuleLiteral, kEndOfRule);
    int32_t at = reader_.Now().offset;
    bool negative = La() == Token::kMinus;
    if (negative) {
      if (La(1) != Token::kInt && La(1) != Token::kFloat) {
        reader_.NoViable(1, kRuleLiteral);
        return Bad(kRuleLiteral);
      }
      reader_.Take();
    }
    const Lexeme& lexeme = reader_.Take();
    switch (lexeme.token) {
      case Token::kInt:
        return Integer(at, lexeme.text, negative);
      case Token::kUint:
        return Unsigned(at, lexeme.text.substr(0, lexeme.text.size() - 1));
      case Token::kFloat:
        return Float(at, lexeme.text, negative);
      case Token::kString:
      case Token::kBytes:
        return Text(at, lexeme);
      case Token::kTrue:
        return maker_.Literal(at, Value::Bool(true));
      case Token::kFalse:
        return maker_.Literal(at, Value::Bool(false));
      default:
        return maker_.Literal(at, Value());
    }
  }

  Expr* Invalid(int32_t at, std::string message) {
    issues_.Add(ast_.source.At(at), std::move(message));
    return maker_.Error(at);
  }

  static bool Digits(std::string_view text, uint64_t& number) {
    int base = 10;
    if (text.starts_with("0x")) {
      base = 16;
      text.remove_prefix(2);
    }
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc() && end == text.data() + text.size();
  }

  Expr* Integer(int32_t at, std::string_view text, bool negative) {
    uint64_t number = 0;
    uint64_t most = (uint64_t{1} << 63) - (negative ? 0 : 1);
    if (!Digits(text, number) || number > most) return Invalid(at, "invalid int literal");
    return maker_.Literal(at, Value::Int(static_cast<int64_t>(negative ? 0 - number : number)));
  }

  Expr* Unsigned(int32_t at, std::string_view text) {
    uint64_t number = 0;
    if (!Digits(text, number)) return Invalid(at, "invalid uint literal");
    return maker_.Literal(at, Value::Uint(number));
  }

  Expr* Float(int32_t at, std::string_view text, bool negative) {
    double number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::result_out_of_range) {
      // Too small is zero, too large no number.
      number = std::strtod(std::string(text).c_str(), nullptr);
      if (std::isinf(number)) return Invalid(at, "invalid double literal");
    }
    return maker_.Literal(at, Value::Double(negative ? -number : number));
  }

  Expr* Text(int32_t at, const Lexeme& lexeme) {
    bool bytes = lexeme.token == Token::kBytes;
    std::string text;
    std::string_view error = Unescape(lexeme.text.substr(bytes ? 1 : 0), bytes, text);
    if (!error.empty()) return Invalid(at, std::string(error));
    std::string_view kept = maker_.Keep(text);
    return maker_.Literal(at, bytes ? Value::Bytes(kept) : Value::String(kept));
  }

  const Environment& environment_;
  Ast& ast_;
  Issues& issues_;
  TokenReader reader_;
  ExprMaker maker_;
  std::array<uint32_t, kRuleCount> depths_{};
};

}  // namespace

std::unique_ptr<Ast> Parse(const Environment& environment, std::string_view text, Issues& issues) {
  auto ast = std::make_unique<Ast>(text);
  uint32_t limit = environment.options().max_expression_size;
  if (static_cast<uint32_t>(ast->source.size()) > limit) {
    issues.Add({}, "expression code point size exceeds limit: size: " + std::to_string(ast->source.size()) +
                       ", limit " + std::to_string(limit));
    return ast;
  }
  Parser parser(environment, *ast, issues);
  ast->root = parser.Start();
  return ast;
}

}  // namespace cel
