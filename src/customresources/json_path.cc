#include "customresources/json_path.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "apply/go_print.h"
#include "base/text.h"
#include "value/json_writer.h"
#include "value/number.h"
#include "value/utf8.h"

namespace customresources {

using base::Cat;
using value::Member;
using value::Value;

namespace {

enum class Step : uint8_t {
  kText,
  kField,
  kIdentifier,
  kArray,
  kFilter,
  kNumber,
  kWildcard,
  kRecursive,
  kUnion,
  kNested,
};

struct Bound {
  int64_t value = 0;
  bool known = false, derived = false;
};

struct Node {
  Step step = Step::kText;
  std::string text;                                    // of a text, a field, an identifier; a filter's operator
  Value number;                                        // of kNumber: also a bool
  std::array<Bound, 3> bounds{};                       // of kArray
  std::vector<std::unique_ptr<JsonPath::List>> lists;  // a filter's two sides, the members of a union, what is nested
};

}  // namespace

struct JsonPath::List {
  std::vector<Node> nodes;
  value::Arena arena{256};  // of literals
};

namespace {

using List = JsonPath::List;
using Parsed = std::expected<std::unique_ptr<List>, std::string>;

bool IsLetter(char c) { return base::IsAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool IsTerminator(char c) { return std::string_view(" \t\r\n.,[]$@{}").contains(c); }

void AppendUtf8(uint32_t rune, std::string& out) {
  if (rune < 0x80) {
    out += static_cast<char>(rune);
  } else if (rune < 0x800) {
    out += static_cast<char>(0xC0 | rune >> 6);
    out += static_cast<char>(0x80 | (rune & 0x3F));
  } else if (rune < 0x10000) {
    out += static_cast<char>(0xE0 | rune >> 12);
    out += static_cast<char>(0x80 | (rune >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (rune & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | rune >> 18);
    out += static_cast<char>(0x80 | (rune >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (rune >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (rune & 0x3F));
  }
}

// The text of a Go string literal between its quotes, which may be single ones; nullopt where it is none.
std::optional<std::string> Unquote(std::string_view quoted, char quote) {
  std::string out;
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == quote) return std::nullopt;
    if (quoted[i] != '\\') {
      out += quoted[i];
      continue;
    }
    if (++i == quoted.size()) return std::nullopt;
    constexpr std::string_view kNames = "abfnrtv\\", kMeant = "\a\b\f\n\r\t\v\\";
    if (const size_t at = kNames.find(quoted[i]); at != kNames.npos) {
      out += kMeant[at];
    } else if (quoted[i] == quote) {
      out += quote;
    } else {
      const size_t digits = quoted[i] == 'x' ? 2 : quoted[i] == 'u' ? 4 : quoted[i] == 'U' ? 8 : 3;
      const size_t begin = digits == 3 ? i : i + 1;
      uint32_t number = 0;
      if (begin + digits > quoted.size()) return std::nullopt;
      const char* const end = quoted.data() + begin + digits;
      if (std::from_chars(quoted.data() + begin, end, number, digits == 3 ? 8 : 16).ptr != end) return std::nullopt;
      if (number > 0x10FFFF) return std::nullopt;
      if (digits < 4) {
        out += static_cast<char>(number);
      } else {
        AppendUtf8(number, out);
      }
      i = begin + digits - 1;
    }
  }
  return out;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  // The whole: texts, and actions in braces.
  Parsed Whole() {
    auto root = std::make_unique<List>();
    while (at_ < text_.size()) {
      const size_t brace = std::min(text_.find('{', at_), text_.size());
      if (brace > at_)
        root->nodes.push_back({.step = Step::kText, .text = std::string(text_.substr(at_, brace - at_))});
      at_ = brace;
      if (brace == text_.size()) break;
      ++at_;
      Parsed action = Action();
      if (!action) return action;
      Node node{.step = Step::kNested};
      node.lists.push_back(std::move(*action));
      root->nodes.push_back(std::move(node));
    }
    return root;
  }

 private:
  static std::unexpected<std::string> Fail(std::string error) { return std::unexpected(std::move(error)); }

  // The first action of a text that is put in braces.
  static Parsed Inner(std::string_view text) {
    const std::string braced = Cat("{", text, "}");
    Parsed whole = Parser(braced).Whole();
    if (!whole) return whole;
    return std::move((*whole)->nodes[0].lists[0]);
  }

  bool Skip(std::string_view prefix) {
    if (!text_.substr(at_).starts_with(prefix)) return false;
    at_ += prefix.size();
    return true;
  }

  // Inside braces, whose end is taken.
  Parsed Action() {
    auto list = std::make_unique<List>();
    while (!Skip("}")) {
      std::string error;
      if (Skip("[?(")) {
        error = Filter(*list);
      } else if (Skip("..")) {
        error = Recursive(*list);
      } else if (at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r') {
        error = "unclosed action";
      } else {
        error = Simple(*list, text_[at_]);
      }
      if (!error.empty()) return Fail(std::move(error));
    }
    return list;
  }

  std::string Simple(List& list, char c) {
    if (c == ' ' || c == '@' || c == '$') {
      ++at_;
      return {};
    }
    if (c == '[') return Array(list);
    if (c == '"' || c == '\'') return Quoted(list, c);
    if (c == '.') {
      ++at_;
      return Field(list);
    }
    if (c == '+' || c == '-' || base::IsDigit(c)) return Number(list);
    if (IsLetter(c)) return Identifier(list);
    const auto rune = value::DecodeRune(text_.substr(at_));
    std::string code = "U+";
    std::array<char, 8> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), rune.code, 16).ptr;
    std::string hex(digits.data(), end);
    for (char& digit : hex) digit = static_cast<char>(digit >= 'a' ? digit - 32 : digit);
    code += std::string(hex.size() < 4 ? 4 - hex.size() : 0, '0') + hex;
    return Cat("unrecognized character in action: ", code, " '", text_.substr(at_, rune.size), "'");
  }

  std::string Identifier(List& list) {
    const size_t begin = at_;
    while (at_ < text_.size() && !IsTerminator(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "true" || name == "false") {
      list.nodes.push_back({.step = Step::kNumber, .number = Value::Bool(name == "true")});
    } else {
      list.nodes.push_back({.step = Step::kIdentifier, .text = std::string(name)});
    }
    return {};
  }

  std::string Recursive(List& list) {
    if (!list.nodes.empty() && list.nodes.back().step == Step::kRecursive) return "invalid multiple recursive descent";
    list.nodes.push_back({.step = Step::kRecursive});
    return at_ < text_.size() && IsLetter(text_[at_]) ? Field(list) : "";
  }

  std::string Number(List& list) {
    const size_t begin = at_;
    if (text_[at_] == '+' || text_[at_] == '-') ++at_;
    while (at_ < text_.size() && (text_[at_] == '.' || base::IsDigit(text_[at_]))) ++at_;
    const std::string_view literal = text_.substr(begin, at_ - begin);
    const std::string_view digits = literal.starts_with('+') ? literal.substr(1) : literal;
    int64_t whole = 0;
    const char* const end = digits.data() + digits.size();
    if (const auto read = std::from_chars(digits.data(), end, whole); read.ec == std::errc() && read.ptr == end) {
      list.nodes.push_back({.step = Step::kNumber, .number = Value::Int(whole)});
      return {};
    }
    const bool is_float = digits.find_first_of("0123456789") != digits.npos && std::ranges::count(digits, '.') <= 1;
    if (!is_float) return Cat("cannot parse number ", literal);
    list.nodes.push_back({.step = Step::kNumber, .number = Value::Double(list.arena, value::ParseDouble(digits))});
    return {};
  }

  std::string Quoted(List& list, char quote) {
    const size_t begin = at_++;
    for (;; ++at_) {
      if (at_ >= text_.size() || text_[at_] == '\n') return "unterminated quoted string";
      if (text_[at_] == quote && text_[at_ - 1] != '\\') break;
    }
    ++at_;
    const std::string_view whole = text_.substr(begin, at_ - begin);
    auto text = Unquote(whole.substr(1, whole.size() - 2), quote);
    if (!text) return Cat("unquote string ", whole, " error invalid syntax");
    list.nodes.push_back({.step = Step::kText, .text = std::move(*text)});
    return {};
  }

  std::string Field(List& list) {
    std::string name;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\') {
        if (at_ + 1 < text_.size() && text_[at_ + 1] != '\\') name += text_[at_ + 1];
        at_ = std::min(at_ + 2, text_.size());
        continue;
      }
      if (IsTerminator(text_[at_])) break;
      name += text_[at_++];
    }
    if (name == "*") {
      list.nodes.push_back({.step = Step::kWildcard});
    } else {
      list.nodes.push_back({.step = Step::kField, .text = std::move(name)});
    }
    return {};
  }

  std::string Array(List& list) {
    const size_t begin = at_ + 1;
    const size_t end = text_.find_first_of("]\n", begin);
    if (end == text_.npos || text_[end] == '\n') return "unterminated array";
    std::string_view text = text_.substr(begin, end - begin);
    at_ = end + 1;
    if (text == "*") text = ":";
    if (text.contains(',')) return Union(list, text);
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'' &&
        !text.substr(1, text.size() - 2).contains('\'')) {
      Parsed inner = Inner(Cat(".", text.substr(1, text.size() - 2)));
      if (!inner) return inner.error();
      for (Node& node : (*inner)->nodes) list.nodes.push_back(std::move(node));
      return {};
    }
    return Slice(list, text);
  }

  static std::string Union(List& list, std::string_view text) {
    Node node{.step = Step::kUnion};
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      std::string_view part = text.substr(begin, end - begin);
      while (part.starts_with(' ')) part.remove_prefix(1);
      while (part.ends_with(' ')) part.remove_suffix(1);
      Parsed inner = Inner(Cat("[", part, "]"));
      if (!inner) return inner.error();
      node.lists.push_back(std::move(*inner));
      begin = end + 1;
    }
    list.nodes.push_back(std::move(node));
    return {};
  }

  static std::string Slice(List& list, std::string_view text) {
    std::array<std::optional<std::string_view>, 3> parts;  // those behind the first with no colon before them are none
    std::string_view rest = text;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i > 0 && !rest.starts_with(':')) break;
      if (i > 0) rest.remove_prefix(1);
      size_t size = rest.starts_with('-') ? 1 : 0;
      while (size < rest.size() && base::IsDigit(rest[size])) ++size;
      parts[i] = rest.substr(0, size);
      rest.remove_prefix(size);
    }
    if (!rest.empty()) return Cat("invalid array index ", text);
    Node node{.step = Step::kArray};
    for (size_t i = 0; i < parts.size(); ++i) {
      Bound& bound = node.bounds[i];
      if (!parts[i] && i == 1) bound = {.value = node.bounds[0].value + 1, .known = true, .derived = true};
      if (!parts[i] || parts[i]->empty()) continue;
      bound.known = true;
      const char* const end = parts[i]->data() + parts[i]->size();
      const auto read = std::from_chars(parts[i]->data(), end, bound.value);
      const bool fits = read.ec == std::errc() && read.ptr == end && bound.value > INT64_MIN && bound.value < INT64_MAX;
      if (!fits) return Cat("array index ", *parts[i], " is not a number");
    }
    list.nodes.push_back(std::move(node));
    return {};
  }

  std::string Filter(List& list) {
    const size_t begin = at_;
    bool opened = false, closed = false;
    char pair = 0;
    for (;; ++at_) {
      if (at_ >= text_.size() || text_[at_] == '\n') return "unterminated filter";
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        if (!opened) {
          opened = true;
          pair = c;
        } else if (text_[at_ - 1] != '\\' && c == pair) {
          closed = true;
        }
      } else if (c == ')' && opened == closed) {
        break;
      }
    }
    const std::string_view text = text_.substr(begin, at_ - begin);
    ++at_;
    if (!Skip("]")) return "unclosed array expect ]";
    return Condition(list, text);
  }

  static std::string Condition(List& list, std::string_view text) {
    constexpr std::string_view kSigns = "!<>=";
    const size_t sign = text.find_first_of(kSigns);
    size_t right = sign == text.npos ? text.npos : text.find_first_not_of(kSigns, sign);
    // Something stands on the right, be it a sign.
    if (sign != text.npos && right == text.npos && text.size() - sign > 1) right = text.size() - 1;
    Node node{.step = Step::kFilter, .text = "exists"};
    if (sign == 0 || right == text.npos || text.contains('\n')) {
      Parsed inner = Inner(text);
      if (!inner) return inner.error();
      node.lists.push_back(std::move(*inner));
    } else {
      node.text = text.substr(sign, right - sign);
      for (std::string_view side : {text.substr(0, sign), text.substr(right)}) {
        Parsed inner = Inner(side);
        if (!inner) return inner.error();
        node.lists.push_back(std::move(*inner));
      }
    }
    list.nodes.push_back(std::move(node));
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
};

using Values = std::vector<Value>;

// What a step found, also where it failed.
struct Walked {
  Values values;
  std::optional<std::string> error;
};

class Evaluator {
 public:
  Walked Of(const List& list, Values input) {
    Walked at{std::move(input), std::nullopt};
    for (const Node& node : list.nodes) {
      at = Of(node, std::move(at.values));
      if (at.error) break;
    }
    return at;
  }

 private:
  Walked Of(const Node& node, Values input) {
    steps_ += input.size() + 1;
    if (steps_ > kMostJsonPathSteps) return {{}, "too many values"};
    switch (node.step) {
      case Step::kText:
        return {{Value::String(node.text)}, std::nullopt};
      case Step::kNumber:
        return {Values(input.size(), node.number), std::nullopt};
      case Step::kField:
        return Field(node, input);
      case Step::kArray:
        return Array(node, std::move(input));
      case Step::kFilter:
        return Filter(node, std::move(input));
      case Step::kWildcard:
        return Wildcard(input);
      case Step::kRecursive:
        return Recursive(input);
      case Step::kUnion:
        return Union(node, input);
      case Step::kNested:
        return Of(*node.lists[0], std::move(input));
      case Step::kIdentifier:
        if (node.text == "range") return {};
        if (node.text == "end") return {{}, "not in range, nothing to end"};
        return {std::move(input), Cat("unrecognized identifier ", node.text)};
    }
    return {};
  }

  static Walked Field(const Node& node, const Values& input) {
    Walked out;
    for (const Value& v : input) {
      if (const Value* found = v.Find(node.text)) out.values.push_back(*found);
    }
    return out;
  }

  Walked Array(const Node& node, Values input) {
    Values out;
    for (const Value& v : input) {
      if (v.is_null()) continue;
      if (!v.is_array()) return {input, Cat(apply::GoTypeName(v), " is not array or slice")};
      const int64_t size = v.size();
      std::array<Bound, 3> at = node.bounds;
      if (at[0].value < 0) at[0].value += size;
      if (!at[1].known) at[1].value = size;
      if (at[1].value < 0 || (at[1].value == 0 && at[1].derived)) at[1].value += size;
      if (at[1].value == at[0].value) return {out, std::nullopt};
      if (at[0].value >= size || at[0].value < 0) {
        return {input, Cat("array index out of bounds: index ", at[0].value, ", length ", size)};
      }
      if (at[1].value > size || at[1].value < 0) {
        return {input, Cat("array index out of bounds: index ", at[1].value - 1, ", length ", size)};
      }
      if (at[0].value > at[1].value) {
        return {input, Cat("starting index ", at[0].value, " is greater than ending index ", at[1].value)};
      }
      int64_t step = 1;
      if (at[2].known) {
        if (at[2].value <= 0) return {input, "step must be > 0"};
        step = at[2].value;
      }
      for (int64_t i = at[0].value; i<at[1].value; i = step> at[1].value - i ? at[1].value : i + step) {
        out.push_back(v[static_cast<uint32_t>(i)]);
      }
    }
    return {std::move(out), std::nullopt};
  }

  // What is in a value: Go sees the bytes of texts too.
  static void AppendContent(const Value& v, Values& out) {
    for (const Value& item : v.items()) out.push_back(item);
    for (const Member& member : v.members()) out.push_back(member.value);
    if (!v.is_string()) return;
    for (char c : v.AsString()) out.push_back(Value::Int(static_cast<unsigned char>(c)));
  }

  Walked Wildcard(const Values& input) {
    Walked out;
    for (const Value& v : input) {
      AppendContent(v, out.values);
      if (out.values.size() > kMostJsonPathSteps) return {{}, "too many values"};
    }
    return out;
  }

  Walked Recursive(const Values& input) {
    Walked out;
    // A stack in place of calls: values to be visited, the next one last.
    Values waiting(input.rbegin(), input.rend());
    while (!waiting.empty()) {
      const Value v = waiting.back();
      waiting.pop_back();
      if (++steps_ > kMostJsonPathSteps) return {{}, "too many values"};
      if (v.is_string() ? v.AsString().empty() : v.empty()) continue;
      out.values.push_back(v);
      if (v.is_string()) continue;
      Values inside;
      AppendContent(v, inside);
      waiting.insert(waiting.end(), inside.rbegin(), inside.rend());
    }
    return out;
  }

  Walked Union(const Node& node, const Values& input) {
    Walked out;
    for (const auto& list : node.lists) {
      Walked part = Of(*list, input);
      if (part.error) return {input, part.error};
      out.values.insert(out.values.end(), part.values.begin(), part.values.end());
    }
    return out;
  }

  Walked Filter(const Node& node, Values input) {
    Values out;
    for (const Value& v : input) {
      if (!v.is_array()) return {input, Cat(apply::GoValue(v), " is not array or slice and cannot be filtered")};
      for (const Value& item : v.items()) {
        Walked left = Of(*node.lists[0], {item});
        if (steps_ > kMostJsonPathSteps) return {{}, "too many values"};
        if (node.text == "exists") {
          if (!left.values.empty()) out.push_back(item);
          continue;
        }
        if (left.error) return {input, left.error};
        if (left.values.empty()) continue;
        if (left.values.size() > 1) return {input, "can only compare one element at a time"};
        Walked right = Of(*node.lists[1], {item});
        if (right.error) return {input, right.error};
        if (right.values.empty()) continue;
        if (right.values.size() > 1) return {input, "can only compare one element at a time"};
        const auto passes = Passes(node.text, left.values[0], right.values[0]);
        if (!passes) return {out, passes.error()};
        if (*passes) out.push_back(item);
      }
    }
    return {std::move(out), std::nullopt};
  }

  // Go's basic kinds; 0 is none of them.
  static int KindOf(const Value& v) {
    if (v.is_bool()) return 1;
    if (v.is_int()) return 2;
    if (v.is_number()) return 3;
    return v.is_string() ? 4 : 0;
  }

  static std::expected<bool, std::string> Equal(const Value& a, const Value& b) {
    if (KindOf(a) == 0 || KindOf(b) == 0) return std::unexpected("invalid type for comparison");
    if (KindOf(a) != KindOf(b)) return std::unexpected("incompatible types for comparison");
    return value::Equal(a, b);
  }
  static std::expected<bool, std::string> Less(const Value& a, const Value& b) {
    if (KindOf(a) == 0 || KindOf(b) == 0) return std::unexpected("invalid type for comparison");
    if (KindOf(a) != KindOf(b)) return std::unexpected("incompatible types for comparison");
    if (a.is_bool()) return std::unexpected("invalid type for comparison");
    if (a.is_string()) return a.AsString() < b.AsString();
    return a.is_int() ? a.AsInt() < b.AsInt() : a.AsDouble() < b.AsDouble();
  }

  static std::expected<bool, std::string> Not(std::expected<bool, std::string> truth) {
    if (truth) *truth = !*truth;
    return truth;
  }

  static std::expected<bool, std::string> Passes(std::string_view sign, const Value& a, const Value& b) {
    if (sign == "==") return Equal(a, b);
    if (sign == "!=") return Not(Equal(a, b));
    if (sign == "<") return Less(a, b);
    if (sign == ">=") return Not(Less(a, b));
    if (sign != "<=" && sign != ">") return std::unexpected(Cat("unrecognized filter operator ", sign));
    auto at_most = Less(a, b);
    if (at_most && !*at_most) at_most = Equal(a, b);
    return sign == "<=" ? at_most : Not(at_most);
  }

  size_t steps_ = 0;
};

}  // namespace

JsonPath::JsonPath(std::unique_ptr<List> root) : root_(std::move(root)) {}
JsonPath::JsonPath(JsonPath&&) noexcept = default;
JsonPath& JsonPath::operator=(JsonPath&&) noexcept = default;
JsonPath::~JsonPath() = default;

std::expected<JsonPath, std::string> JsonPath::Parse(std::string_view path) {
  if (path.size() > kMostJsonPathText) return std::unexpected("path is too long");
  const std::string braced = Cat("{", path, "}");
  Parsed root = Parser(braced).Whole();
  if (!root) return std::unexpected(std::move(root.error()));
  return JsonPath(std::move(*root));
}

std::expected<std::vector<Value>, std::string> JsonPath::Find(const Value& document) const {
  Evaluator evaluator;
  if (root_->nodes.empty()) return std::vector<Value>();
  Walked found = evaluator.Of(*root_->nodes[0].lists[0], {document});
  if (found.error) return std::unexpected(std::move(*found.error));
  return std::move(found.values);
}

std::string PrintJsonPathResult(const Value& found) {
  if (found.is_null()) return "<no value>";
  if (found.is_array() || found.is_object()) return value::ToJson(found, value::KeyOrder::kSorted);
  return apply::GoValue(found);
}

}  // namespace customresources
