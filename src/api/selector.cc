#include "api/selector.h"

#include <algorithm>
#include <optional>
#include <set>

#include "api/names.h"
#include "api/quote.h"
#include "api/request.h"
#include "base/text.h"

namespace api {
namespace {

using Operator = LabelRequirement::Operator;

enum class Token {
  kEnd,
  kClose,
  kComma,
  kNot,
  kDoubleEquals,
  kEquals,
  kGreater,
  kIdentifier,
  kIn,
  kLess,
  kNotEquals,
  kNotIn,
  kOpen
};

struct Item {
  Token token;
  std::string_view literal;
};

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSymbol(char c) { return std::string_view("=!(),><").contains(c) && c != 0; }

Error Unparsed(std::string message) { return BadRequest(std::move(message)); }
Error Found(std::string_view literal, std::string_view expected) {
  return Unparsed(base::Cat("found '", literal, "'", expected));
}

// Cuts a label selector into items. A NUL byte ends what it stands in, as the real server has it.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Item Next() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
    if (at_ >= text_.size() || text_[at_] == 0) return {Token::kEnd, ""};
    return IsSymbol(text_[at_]) ? Symbol() : Word();
  }

 private:
  Item Symbol() {
    const std::string_view rest = text_.substr(at_);
    const bool doubled = rest.size() > 1 && rest[1] == '=' && (rest[0] == '=' || rest[0] == '!');
    const std::string_view literal = rest.substr(0, doubled ? 2 : 1);
    at_ += literal.size();
    switch (literal[0]) {
      case '=':
        return {doubled ? Token::kDoubleEquals : Token::kEquals, literal};
      case '!':
        return {doubled ? Token::kNotEquals : Token::kNot, literal};
      case '(':
        return {Token::kOpen, literal};
      case ')':
        return {Token::kClose, literal};
      case ',':
        return {Token::kComma, literal};
      case '>':
        return {Token::kGreater, literal};
      default:
        return {Token::kLess, literal};
    }
  }

  Item Word() {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != 0 && !IsSpace(text_[at_]) && !IsSymbol(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (at_ < text_.size() && text_[at_] == 0) ++at_;
    if (word == "in") return {Token::kIn, word};
    if (word == "notin") return {Token::kNotIn, word};
    return {Token::kIdentifier, word};
  }

  std::string_view text_;
  size_t at_ = 0;
};

FieldError BadKey(std::string_view key, std::string field, const Complaints& complaints) {
  return {FieldError::Type::kInvalid, std::move(field), Quote(key), JoinComplaints(complaints)};
}

// What is wrong with a requirement that parsed: its key was checked by the parser, its values are checked here.
FieldErrors CheckValues(const LabelRequirement& requirement) {
  FieldErrors errors;
  const bool numeric = requirement.op == Operator::kGreaterThan || requirement.op == Operator::kLessThan;
  for (size_t i = 0; numeric && i < requirement.values.size(); ++i) {
    if (ParseInt64(requirement.values[i])) continue;
    errors.push_back({FieldError::Type::kInvalid, base::Cat("values[", i, "]"), Quote(requirement.values[i]),
                      "for 'Gt', 'Lt' operators, the value must be an integer"});
  }
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    const Complaints complaints = CheckLabelValue(requirement.values[i]);
    if (complaints.empty()) continue;
    errors.push_back(BadKey(requirement.values[i], base::Cat("values[", i, "][", requirement.key, "]"), complaints));
  }
  return errors;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text), ahead_(lexer_.Next()) {}

  Result<std::vector<LabelRequirement>> Parse() {
    std::vector<LabelRequirement> requirements;
    while (true) {
      if (ahead_.token == Token::kEnd) return requirements;
      if (!BeginsRequirement()) return Fail(Found(ahead_.literal, ", expected: !, identifier, or 'end of string'"));
      Result<LabelRequirement> requirement = Requirement();
      if (!requirement) {
        return Fail(Unparsed(base::Cat("unable to parse requirement: ", requirement.error().message)));
      }
      requirements.push_back(*std::move(requirement));
      const Item next = Take();
      if (next.token == Token::kEnd) return requirements;
      if (next.token != Token::kComma) return Fail(Found(next.literal, ", expected: ',' or 'end of string'"));
      if (!BeginsRequirement()) return Fail(Found(ahead_.literal, ", expected: identifier after ','"));
    }
  }

 private:
  // `in` and `notin` are ordinary words wherever no operator is expected.
  static bool IsWord(const Item& item) {
    return item.token == Token::kIdentifier || item.token == Token::kIn || item.token == Token::kNotIn;
  }
  bool BeginsRequirement() const { return IsWord(ahead_) || ahead_.token == Token::kNot; }

  Item Take() {
    const Item taken = ahead_;
    if (taken.token != Token::kEnd) ahead_ = lexer_.Next();
    return taken;
  }

  Result<LabelRequirement> Requirement() {
    LabelRequirement requirement;
    Item key = Take();
    const bool negated = key.token == Token::kNot;
    if (negated) key = Take();
    if (!IsWord(key)) return Fail(Found(key.literal, ", expected: identifier"));
    if (const Complaints complaints = CheckQualifiedName(key.literal); !complaints.empty()) {
      return Fail(Unparsed(JoinTexts({BadKey(key.literal, "<nil>", complaints)})));
    }
    requirement.key = key.literal;
    if (negated) {
      requirement.op = Operator::kDoesNotExist;
      return requirement;
    }
    if (ahead_.token == Token::kEnd || ahead_.token == Token::kComma) {
      requirement.op = Operator::kExists;
      return requirement;
    }
    const Item op = Take();
    const std::optional<Operator> binary = BinaryOperator(op.token);
    if (!binary) return Fail(Found(op.literal, ", expected: in, notin, =, ==, !=, gt, lt"));
    requirement.op = *binary;
    const bool is_set = *binary == Operator::kIn || *binary == Operator::kNotIn;
    Result<std::set<std::string_view>> values = is_set ? Values() : ExactValue();
    if (!values) return Fail(std::move(values.error()));
    requirement.values.assign(values->begin(), values->end());
    if (const FieldErrors errors = CheckValues(requirement); !errors.empty()) return Fail(Unparsed(JoinTexts(errors)));
    return requirement;
  }

  static std::optional<Operator> BinaryOperator(Token token) {
    switch (token) {
      case Token::kIn:
        return Operator::kIn;
      case Token::kNotIn:
        return Operator::kNotIn;
      case Token::kEquals:
        return Operator::kEquals;
      case Token::kDoubleEquals:
        return Operator::kDoubleEquals;
      case Token::kNotEquals:
        return Operator::kNotEquals;
      case Token::kGreater:
        return Operator::kGreaterThan;
      case Token::kLess:
        return Operator::kLessThan;
      default:
        return std::nullopt;
    }
  }

  // "(a, b)"; `()` is the empty value.
  Result<std::set<std::string_view>> Values() {
    if (const Item open = Take(); open.token != Token::kOpen) return Fail(Found(open.literal, " expected: '('"));
    if (ahead_.token == Token::kClose) {
      Take();
      return std::set<std::string_view>{""};
    }
    if (!IsWord(ahead_) && ahead_.token != Token::kComma) {
      return Fail(Found(ahead_.literal, ", expected: ',', ')' or identifier"));
    }
    Result<std::set<std::string_view>> values = ValueList();
    if (values) Take();  // ValueList stops before the parenthesis
    return values;
  }

  Result<std::set<std::string_view>> ValueList() {
    std::set<std::string_view> values;
    while (true) {
      const Item item = Take();
      if (IsWord(item)) {
        values.insert(item.literal);
        if (ahead_.token == Token::kClose) return values;
        if (ahead_.token != Token::kComma) return Fail(Found(ahead_.literal, ", expected: ',' or ')'"));
      } else if (item.token == Token::kComma) {
        if (values.empty()) values.insert("");
        if (ahead_.token == Token::kClose) {
          values.insert("");
          return values;
        }
        if (ahead_.token == Token::kComma) {
          Take();
          values.insert("");
        }
      } else {
        return Fail(Found(item.literal, ", expected: ',', or identifier"));
      }
    }
  }

  Result<std::set<std::string_view>> ExactValue() {
    if (ahead_.token == Token::kEnd || ahead_.token == Token::kComma) return std::set<std::string_view>{""};
    const Item item = Take();
    if (!IsWord(item)) return Fail(Found(item.literal, ", expected: identifier"));
    return std::set<std::string_view>{item.literal};
  }

  Lexer lexer_;
  Item ahead_;
};

bool Compares(const LabelRequirement& requirement, std::string_view label) {
  if (requirement.values.size() != 1) return false;
  const std::optional<int64_t> have = ParseInt64(label), want = ParseInt64(requirement.values[0]);
  if (!have || !want) return false;
  return requirement.op == Operator::kGreaterThan ? *have > *want : *have < *want;
}

bool HasValue(const LabelRequirement& requirement, std::string_view label) {
  return std::ranges::binary_search(requirement.values, label);
}

bool MatchesOne(const LabelRequirement& requirement, const std::string_view* label) {
  switch (requirement.op) {
    case Operator::kIn:
    case Operator::kEquals:
    case Operator::kDoubleEquals:
      return label != nullptr && HasValue(requirement, *label);
    case Operator::kNotIn:
    case Operator::kNotEquals:
      return label == nullptr || !HasValue(requirement, *label);
    case Operator::kExists:
      return label != nullptr;
    case Operator::kDoesNotExist:
      return label == nullptr;
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      return label != nullptr && Compares(requirement, *label);
  }
  return false;
}

std::string RequirementText(const LabelRequirement& requirement) {
  std::string values = base::Join(requirement.values, ",");
  switch (requirement.op) {
    case Operator::kIn:
      return base::Cat(requirement.key, " in (", values, ")");
    case Operator::kNotIn:
      return base::Cat(requirement.key, " notin (", values, ")");
    case Operator::kEquals:
      return base::Cat(requirement.key, "=", values);
    case Operator::kDoubleEquals:
      return base::Cat(requirement.key, "==", values);
    case Operator::kNotEquals:
      return base::Cat(requirement.key, "!=", values);
    case Operator::kGreaterThan:
      return base::Cat(requirement.key, ">", values);
    case Operator::kLessThan:
      return base::Cat(requirement.key, "<", values);
    case Operator::kExists:
      return requirement.key;
    case Operator::kDoesNotExist:
      return base::Cat("!", requirement.key);
  }
  return "";
}

}  // namespace

Result<LabelSelector> LabelSelector::Parse(std::string_view text) {
  LabelSelector selector;
  if (text.empty()) return selector;
  Result<std::vector<LabelRequirement>> requirements = Parser(text).Parse();
  if (!requirements) return Fail(std::move(requirements.error()));
  selector.requirements_ = *std::move(requirements);
  std::ranges::stable_sort(selector.requirements_, {}, &LabelRequirement::key);
  const auto needs_label = [](const LabelRequirement& requirement) { return !MatchesOne(requirement, nullptr); };
  selector.needed_ = static_cast<size_t>(std::ranges::count_if(selector.requirements_, needs_label));
  return selector;
}

bool LabelSelector::MatchesEach(NextLabel next) const {
  size_t met = 0;  // of the requirements that want a label
  std::string_view key, value;
  while (next(key, value)) {
    auto requirement = std::ranges::lower_bound(requirements_, key, {}, &LabelRequirement::key);
    for (; requirement != requirements_.end() && requirement->key == key; ++requirement) {
      if (!MatchesOne(*requirement, &value)) return false;
      if (!MatchesOne(*requirement, nullptr)) ++met;
    }
  }
  return met == needed_;
}

bool LabelSelector::Matches(LabelLookup label) const {
  for (const LabelRequirement& requirement : requirements_) {
    if (!MatchesOne(requirement, label(requirement.key))) return false;
  }
  return true;
}

std::string LabelSelector::text() const {
  std::vector<std::string> texts;
  texts.reserve(requirements_.size());
  for (const LabelRequirement& requirement : requirements_) texts.push_back(RequirementText(requirement));
  return base::Join(texts, ",");
}

namespace {

// The terms between commas; an escaped comma is part of its term.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

// The bytes of the character at text[at].
size_t CharacterSize(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) ++end;
  return end - at;
}

Result<std::string> Unescape(std::string_view value) {
  std::string plain;
  plain.reserve(value.size());
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == ',' || c == '=') {
      return Fail(BadRequest(base::Cat("invalid field selector: unescaped character in value: ", static_cast<int>(c))));
    }
    if (c != '\\') {
      plain += c;
      continue;
    }
    ++i;
    const char escaped = i < value.size() ? value[i] : 0;
    if (i >= value.size() || (escaped != '\\' && escaped != ',' && escaped != '=')) {
      const std::string_view bad = i < value.size() ? value.substr(i, CharacterSize(value, i)) : "";
      return Fail(BadRequest(base::Cat("invalid field selector: invalid escape sequence: \\", bad)));
    }
    plain += escaped;
  }
  return plain;
}

// The first of != == = cuts a term in field and value.
bool SplitTerm(std::string_view term, FieldTerm& parsed, std::string_view& value) {
  for (size_t i = 0; i < term.size(); ++i) {
    const std::string_view rest = term.substr(i);
    const bool unequal = rest.starts_with("!=");
    if (!unequal && rest[0] != '=') continue;
    parsed.field = term.substr(0, i);
    parsed.equal = !unequal;
    value = rest.substr(unequal || rest.starts_with("==") ? 2 : 1);
    return true;
  }
  return false;
}

}  // namespace

Result<FieldSelector> FieldSelector::Parse(std::string_view text) {
  FieldSelector selector;
  if (text.empty()) return selector;
  std::vector<std::string_view> terms = SplitTerms(text);
  if (terms.size() > kMostTerms)
    return Fail(BadRequest(base::Cat("field selectors have at most ", kMostTerms, " terms")));
  std::sort(terms.begin(), terms.end());
  for (std::string_view term : terms) {
    if (term.empty()) continue;
    FieldTerm parsed;
    std::string_view escaped;
    if (!SplitTerm(term, parsed, escaped)) {
      return Fail(BadRequest(base::Cat("invalid selector: '", text, "'; can't understand '", term, "'")));
    }
    Result<std::string> value = Unescape(escaped);
    if (!value) return Fail(std::move(value.error()));
    parsed.value = *std::move(value);
    if (parsed.field.empty() && parsed.value.empty()) continue;  // a lone operator selects everything
    selector.terms_.push_back(std::move(parsed));
  }
  return selector;
}

bool FieldSelector::Matches(absl::FunctionRef<std::string_view(std::string_view field)> value_of) const {
  for (const FieldTerm& term : terms_) {
    if ((value_of(term.field) == term.value) != term.equal) return false;
  }
  return true;
}

const std::string* FieldSelector::RequiresExact(std::string_view field) const {
  for (const FieldTerm& term : terms_) {
    if (term.equal && term.field == field) return &term.value;
  }
  return nullptr;
}

}  // namespace api
