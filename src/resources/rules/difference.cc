#include "resources/rules/difference.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "api/quantity.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/rules/difference_text.h"
#include "resources/rules/internal_types.h"

namespace resources {
namespace {

using value::Value;
using Kind = InternalType::Kind;
using Part = DifferenceText::Part;

constexpr InternalType kNumber{"int32", Kind::kInt, 0, 0, 0, false, false};
constexpr InternalType kText{"string", Kind::kString, 0, 0, 0, false, false};

const InternalType& TypeAt(uint16_t index) { return InternalTypes()[index]; }

const InternalType* FindInternal(std::string_view name) {
  const auto types = InternalTypes();
  const auto found = std::ranges::find(types, name, &InternalType::name);
  return found == types.end() ? nullptr : &*found;
}

// A value of an internal type: the canonical tree that says it, and the one around that for members that moved.
struct Operand {
  const InternalType* type = nullptr;  // null: there is none (an item that is only on the other side)
  Value v, around;

  bool valid() const { return type != nullptr; }
  bool nil() const { return v.is_null(); }
  Operand Elem(const Value& item) const { return {&TypeAt(type->elem), item, around}; }
};

struct Member {
  std::string_view name;
  Operand operand;
};

// A number or a name: Go has a struct for either.
std::vector<Member> IntOrStringMembers(const Value& v) {
  const bool text = v.is_string();
  return {{"Type", {&kNumber, Value::Int(text ? 1 : 0), {}}},
          {"IntVal", {&kNumber, text ? Value() : v, {}}},
          {"StrVal", {&kText, text ? v : Value(), {}}}};
}

std::vector<Member> MembersOf(const Operand& of) {
  if (of.type->kind == Kind::kIntOrString) return IntOrStringMembers(of.v);
  std::vector<Member> members;
  for (const InternalField& field : InternalFields().subspan(of.type->first, of.type->count)) {
    Operand operand{&TypeAt(field.type), of.v, of.around};
    if (field.member.starts_with('^')) {
      operand = {operand.type, of.around.Get(field.member.substr(1)), of.v};
    } else if (!field.member.empty()) {
      operand = {operand.type, of.v.Get(field.member), of.v};
    }
    members.push_back({field.name, operand});
  }
  return members;
}

bool IsZero(const Operand& operand) {
  const Value& v = operand.v;
  switch (operand.type->kind) {
    case Kind::kString:
      return !v.is_string() || v.AsString().empty();
    case Kind::kBool:
      return !v.is_bool() || !v.AsBool();
    case Kind::kInt:
      return !v.is_int() || v.AsInt() == 0;
    case Kind::kStruct:
    case Kind::kIntOrString:
      return std::ranges::all_of(MembersOf(operand), [](const Member& member) { return IsZero(member.operand); });
    default:
      return operand.nil();
  }
}

// Two values side by side, and how many leaves below them differ.
struct Node {
  const InternalType* type = nullptr;
  Operand x, y;
  std::string key;
  std::vector<Node> records;    // of structs, slices and maps
  std::unique_ptr<Node> inner;  // of pointers
  int same = 0, different = 0, descendants = 0, depth = 0;

  void Count(const Node& child) {
    same += child.same;
    different += child.different;
    descendants += child.descendants + 1;
    depth = std::max(depth, child.depth + 1);
  }
  void Settle(bool equal) { ++(equal ? same : different); }
  bool similar() const { return same + 1 >= different; }
};

Node Compare(const InternalType& type, const Operand& x, const Operand& y);

std::string KeyText(const InternalType& map, std::string_view key) {
  return base::Cat(map.keys_have_text ? "s" : "", api::Quote(key));
}

void CompareMaps(Node& node) {
  std::map<std::string_view, std::pair<Operand, Operand>> entries;
  for (const value::Member& member : node.x.v.members()) entries[member.key].first = node.x.Elem(member.value);
  for (const value::Member& member : node.y.v.members()) entries[member.key].second = node.y.Elem(member.value);
  for (const auto& [key, sides] : entries) {
    Node child = Compare(TypeAt(node.type->elem), sides.first, sides.second);
    child.key = KeyText(*node.type, key);
    node.Count(child);
    node.records.push_back(std::move(child));
  }
}

// Which items of two lists belong to each other: equal ones where that keeps their order, and between those, in pairs,
// similar ones.
class Alignment {
 public:
  Alignment(Node& node)
      : node_(node),
        elem_(TypeAt(node.type->elem)),
        width_(node.y.v.size() + 1),
        longest_((node.x.v.size() + 1) * width_) {
    for (uint32_t i = node.x.v.size(); i-- > 0;) {
      for (uint32_t j = node.y.v.size(); j-- > 0;) {
        const bool equal = Pair(i, j).different == 0;
        const uint32_t skip = std::max(Longest(i + 1, j), Longest(i, j + 1));
        longest_[i * width_ + j] = equal ? std::max(skip, Longest(i + 1, j + 1) + 1) : skip;
      }
    }
  }

  void Run() {
    const uint32_t xs = node_.x.v.size(), ys = node_.y.v.size();
    uint32_t i = 0, j = 0;
    while (true) {
      uint32_t to_i = i, to_j = j;
      while (to_i < xs && to_j < ys && !Matched(to_i, to_j)) {
        ++(Longest(to_i + 1, to_j) >= Longest(to_i, to_j + 1) ? to_i : to_j);
      }
      if (to_i == xs || to_j == ys) {
        Connect(i, j, xs, ys);
        return;
      }
      Connect(i, j, to_i, to_j);
      Put(Pair(to_i, to_j));
      i = to_i + 1;
      j = to_j + 1;
    }
  }

 private:
  uint32_t Longest(uint32_t i, uint32_t j) const { return longest_[i * width_ + j]; }
  bool Matched(uint32_t i, uint32_t j) {
    return Longest(i, j) == Longest(i + 1, j + 1) + 1 && Pair(i, j).different == 0;
  }
  Operand X(uint32_t i) const { return node_.x.Elem(node_.x.v[i]); }
  Operand Y(uint32_t j) const { return node_.y.Elem(node_.y.v[j]); }
  Node Pair(uint32_t i, uint32_t j) const { return Compare(elem_, X(i), Y(j)); }

  void Put(Node child) {
    node_.Count(child);
    node_.records.push_back(std::move(child));
  }
  void Connect(uint32_t i, uint32_t j, uint32_t to_i, uint32_t to_j) {
    while (i < to_i && j < to_j) {
      Node pair = Pair(i, j);
      if (pair.similar()) {
        Put(std::move(pair));
        ++i;
        ++j;
      } else if (to_i - i >= to_j - j) {
        Put(Compare(elem_, X(i++), {}));
      } else {
        Put(Compare(elem_, {}, Y(j++)));
      }
    }
    while (i < to_i) Put(Compare(elem_, X(i++), {}));
    while (j < to_j) Put(Compare(elem_, {}, Y(j++)));
  }

  Node& node_;
  const InternalType& elem_;
  const uint32_t width_;
  std::vector<uint32_t> longest_;  // common subsequence from (i, j) on
};

bool SameLeaf(const Operand& x, const Operand& y) {
  if (x.type->kind == Kind::kQuantity && x.v.is_string() && y.v.is_string()) {
    const auto a = api::Quantity::Parse(x.v.AsString()), b = api::Quantity::Parse(y.v.AsString());
    return a && b && *a == *b;
  }
  return (IsZero(x) && IsZero(y)) || value::Equal(x.v, y.v);
}

bool HasParts(Kind kind) {
  return kind == Kind::kStruct || kind == Kind::kSlice || kind == Kind::kMap || kind == Kind::kPointer ||
         kind == Kind::kIntOrString;
}

// Depth is bounded by the types'.
Node Compare(const InternalType& type, const Operand& x, const Operand& y) {
  Node node;
  node.type = &type;
  node.x = x;
  node.y = y;
  const bool is_struct = type.kind == Kind::kStruct || type.kind == Kind::kIntOrString;
  if (!x.valid() || !y.valid()) {
    node.Settle(false);
  } else if (!HasParts(type.kind)) {
    node.Settle(SameLeaf(x, y));
  } else if (!is_struct && (x.nil() || y.nil())) {
    node.Settle(x.nil() == y.nil());
  } else if (is_struct) {
    const std::vector<Member> xs = MembersOf(x), ys = MembersOf(y);
    for (size_t i = 0; i < xs.size(); ++i) {
      Node child = Compare(*xs[i].operand.type, xs[i].operand, ys[i].operand);
      child.key = xs[i].name;
      node.Count(child);
      node.records.push_back(std::move(child));
    }
  } else if (type.kind == Kind::kPointer) {
    node.inner = std::make_unique<Node>(Compare(TypeAt(type.elem), x.Elem(x.v), y.Elem(y.v)));
    node.Count(*node.inner);
  } else if (type.kind == Kind::kMap) {
    CompareMaps(node);
  } else {
    Alignment(node).Run();
  }
  return node;
}

// How much of a value is shown, and whether its type is named.
struct Style {
  enum class Types : uint8_t { kNamed, kLeftOut, kOfParts };
  char mode = 0;  // 0 both sides, ' ' the same on both, '-' the first, '+' the second
  Types types = Types::kNamed;
  int verbosity = 0;
  bool limited = false;
  bool no_texts = false;  // String methods are passed over

  int level() const { return std::clamp(verbosity, 0, 16); }
  Style With(char of) const {
    return Changed([&](Style& style) { style.mode = of; });
  }
  Style With(Types of) const {
    return Changed([&](Style& style) { style.types = of; });
  }
  Style WithVerbosity(int of) const {
    return Changed([&](Style& style) {
      style.verbosity = of;
      style.limited = true;
    });
  }
  // More of it, step by step, for values that differ but look the same.
  Style More(int step) const {
    return Changed([&](Style& style) {
      style.verbosity = level() + 2 * step;
      style.no_texts |= step > 0;
    });
  }
  // How many parts of a value are shown.
  size_t most_parts(size_t all) const { return limited ? static_cast<size_t>(((1 << level()) >> 1) << 2) : all; }

 private:
  template <class Change>
  Style Changed(Change change) const {
    Style style = *this;
    change(style);
    return style;
  }
};
constexpr int kMostVerbose = 6;

bool IsComposite(Kind kind) {
  return kind == Kind::kStruct || kind == Kind::kIntOrString || kind == Kind::kSlice || kind == Kind::kMap ||
         kind == Kind::kQuantity;
}

DifferenceText NameType(const Style& style, std::string_view name, bool composite, DifferenceText text) {
  if (style.types == Style::Types::kLeftOut) return text;
  if (style.types == Style::Types::kOfParts && (!composite || text.is_nil() || style.mode == ' ')) return text;
  std::string label = name.starts_with('*') ? base::Cat("(", name, ")") : std::string(name);
  if (text.in_braces()) return DifferenceText::Wrap(std::move(label), std::move(text), "");
  return DifferenceText::Wrap(std::move(label), DifferenceText::Wrap("(", std::move(text), ")"), "");
}

DifferenceText NameType(const Style& style, const InternalType& type, DifferenceText text) {
  return NameType(style, type.name, IsComposite(type.kind), std::move(text));
}

// In double quotes, or in back quotes where that needs no escapes.
std::string QuoteShort(std::string_view text) {
  std::string quoted = api::Quote(text);
  if (quoted.size() == text.size() + 2) return quoted;
  const bool raw = std::ranges::all_of(text, [](unsigned char c) { return c != '`' && c >= ' ' && c < 0x7F; });
  return raw ? base::Cat("`", text, "`") : quoted;
}

DifferenceText ShowText(const Style& style, std::string_view prefix, std::string_view text) {
  const size_t most = style.limited ? size_t{32} << style.level() : text.size();
  if (text.size() > most + 3) return DifferenceText::Line(base::Cat(prefix, QuoteShort(text.substr(0, most)), "..."));
  return DifferenceText::Line(base::Cat(prefix, QuoteShort(text)));
}

DifferenceText ShowValue(const Style& style, const Operand& operand);

// What Go holds of an amount: a number and a power of ten, the text it was read from, its form.
DifferenceText ShowQuantity(Style style, const Operand& operand) {
  const std::string_view text = operand.v.AsString();
  const auto quantity = api::Quantity::Parse(text);
  if (!quantity) return DifferenceText::Nil();
  int64_t number = 0, scale = 0;
  const std::string_view digits = text.substr(0, text.find_first_not_of("+-0123456789."));
  if (quantity->format() == api::Quantity::Format::kBinarySi) {
    number = quantity->Value();
  } else {
    std::string plain(digits);
    std::erase_if(plain, [](char c) { return c == '.' || c == '+'; });
    std::from_chars(plain.data(), plain.data() + plain.size(), number);
    while (scale > -9 && !(api::Quantity::Of(number, quantity->format(), static_cast<int32_t>(scale)) == *quantity))
      --scale;
    if (scale == -9) {
      scale = 0;
      while (scale < 18 && !(api::Quantity::Of(number, quantity->format(), static_cast<int32_t>(scale)) == *quantity))
        ++scale;
    }
  }
  const size_t most = style.most_parts(4);
  Style inner = style.With(Style::Types::kOfParts);
  --inner.verbosity;
  std::vector<Part> amount;
  if (number != 0) amount.push_back({.key = "value", .value = DifferenceText::Line(base::Cat(number))});
  if (scale != 0) amount.push_back({.key = "scale", .value = DifferenceText::Line(base::Cat(scale))});
  std::vector<Part> parts;
  if (!amount.empty() && most > 0) {
    const bool shown = inner.most_parts(2) > 0;
    if (!shown) {
      amount.clear();
      AppendEllipsis(amount);
    }
    parts.push_back(
        {.key = "i",
         .value = NameType(inner, "resource.int64Amount", true, DifferenceText::Braces(std::move(amount)))});
  }
  if (most > 0) {
    constexpr std::string_view kFormats[] = {"DecimalSI", "BinarySI", "DecimalExponent"};
    parts.push_back({.key = "s", .value = ShowText(inner, "", text)});
    parts.push_back({.key = "Format", .value = ShowText(inner, "", kFormats[static_cast<int>(quantity->format())])});
  } else {
    AppendEllipsis(parts);
  }
  return DifferenceText::Braces(std::move(parts));
}

DifferenceText ShowMembers(Style style, const Operand& operand) {
  const std::vector<Member> members = MembersOf(operand);
  const size_t most = style.most_parts(members.size());
  --style.verbosity;
  std::vector<Part> parts;
  for (const Member& member : members) {
    if (IsZero(member.operand)) continue;
    if (parts.size() == most) {
      AppendEllipsis(parts);
      break;
    }
    parts.push_back(
        {.key = std::string(member.name), .value = ShowValue(style.With(Style::Types::kOfParts), member.operand)});
  }
  return DifferenceText::Braces(std::move(parts));
}

DifferenceText ShowItems(Style style, const Operand& operand) {
  const size_t most = style.most_parts(operand.v.size());
  --style.verbosity;
  const Style inner = style.With(Style::Types::kLeftOut);
  std::vector<Part> parts;
  for (const Value& item : operand.v.items()) {
    if (parts.size() == most) {
      AppendEllipsis(parts);
      break;
    }
    parts.push_back({.value = ShowValue(inner, operand.Elem(item))});
  }
  std::vector<const value::Member*> members;
  for (const value::Member& member : operand.v.members()) members.push_back(&member);
  std::ranges::sort(members, {}, &value::Member::key);
  for (const value::Member* member : members) {
    if (parts.size() == most) {
      AppendEllipsis(parts);
      break;
    }
    parts.push_back(
        {.key = KeyText(*operand.type, member->key), .value = ShowValue(inner, operand.Elem(member->value))});
  }
  return DifferenceText::Braces(std::move(parts));
}

// The text that the String method of a label selector gives.
std::string SelectorText(const Value& selector) {
  std::string text = "&LabelSelector{MatchLabels:map[string]string{";
  std::map<std::string_view, std::string_view> labels;
  for (const value::Member& label : selector.Get("matchLabels").members()) labels[label.key] = label.value.AsString();
  for (const auto& [key, value] : labels) base::Append(text, key, ": ", value, ",");
  text += "},MatchExpressions:[]LabelSelectorRequirement{";
  for (const Value& requirement : selector.Get("matchExpressions").items()) {
    base::Append(text, "LabelSelectorRequirement{Key:", requirement.GetString("key"),
                 ",Operator:", requirement.GetString("operator"), ",Values:[");
    std::string_view space = "";
    for (const Value& value : requirement.Get("values").items()) {
      base::Append(text, std::exchange(space, " "), value.AsString());
    }
    text += "],},";
  }
  return text + "},}";
}

// The text that the String method of a pointer gives.
DifferenceText ShowPointed(const Style& style, const InternalType& elem, const Value& v) {
  if (elem.kind != Kind::kIntOrString) return ShowText(style, "s", SelectorText(v));
  return ShowText(style, "s", v.is_string() ? std::string(v.AsString()) : base::Cat(v.AsInt()));
}

DifferenceText ShowValue(const Style& style, const Operand& operand) {
  const Value& v = operand.v;
  const InternalType& type = *operand.type;
  switch (type.kind) {
    case Kind::kString:
      if (type.has_text && !style.no_texts) return ShowText(style, "s", v.is_string() ? v.AsString() : "");
      return NameType(style, type, ShowText(style, "", v.is_string() ? v.AsString() : ""));
    case Kind::kBool:
      return NameType(style, type, DifferenceText::Line(v.is_bool() && v.AsBool() ? "true" : "false"));
    case Kind::kInt:
      return NameType(style, type, DifferenceText::Line(base::Cat(v.is_int() ? v.AsInt() : 0)));
    case Kind::kQuantity:
      return NameType(style, type, v.is_string() ? ShowQuantity(style, operand) : DifferenceText::Braces({}));
    case Kind::kPointer:
      if (v.is_null()) return NameType(style, type, DifferenceText::Nil());
      if (type.has_text && !style.no_texts) return ShowPointed(style, TypeAt(type.elem), v);
      return DifferenceText::Wrap("&", ShowValue(style, operand.Elem(v)), "");
    case Kind::kSlice:
    case Kind::kMap:
      return NameType(style, type, v.is_null() ? DifferenceText::Nil() : ShowItems(style, operand));
    case Kind::kStruct:
    case Kind::kIntOrString:
      return NameType(style, type, ShowMembers(style, operand));
    case Kind::kOpaque:
      break;
  }
  return DifferenceText::Line("...");
}

DifferenceText ShowNode(Style style, const Node& node);

// Neighbours that are the same, or that differ.
std::vector<LeftOut> Groups(std::string_view name, std::span<const Node> records) {
  std::vector<LeftOut> groups;
  for (const Node& record : records) {
    const bool same = record.different == 0;
    if (groups.empty() || (groups.back().differing() == 0) != same) groups.push_back({.name = name});
    LeftOut& group = groups.back();
    if (same) {
      ++group.identical;
    } else if (!record.y.valid()) {
      ++group.removed;
    } else if (!record.x.valid()) {
      ++group.inserted;
    } else {
      ++group.modified;
    }
  }
  return groups;
}

// The parts of one side, or of both where they are the same.
std::vector<Part> ShowOneSide(const Style& style, const Node& node, bool is_struct, size_t most) {
  std::vector<Part> parts;
  for (const Node& record : node.records) {
    if (parts.size() == most) {
      AppendEllipsis(parts);
      break;
    }
    const Operand& side = style.mode == '+' ? record.y : record.x;
    if (is_struct && IsZero(side)) continue;
    if (style.mode != ' ' && !side.valid()) continue;
    parts.push_back({.key = record.key, .value = ShowNode(style, record)});
  }
  return parts;
}

// A few records before and after what differs; the rest is counted.
void ShowSame(const Style& style, std::span<const Node> records, LeftOut group, bool first, bool last,
              std::vector<Part>& parts) {
  constexpr size_t kContext = 2;
  const size_t all = records.size();
  const size_t low = first ? 0 : std::min(kContext, all);
  size_t high = last ? 0 : std::min(kContext, all - low);
  if (all - (low + high) == 1) ++high;
  const auto show = [&](std::span<const Node> shown) {
    for (const Node& record : shown) parts.push_back({.key = record.key, .value = ShowNode(style.With(' '), record)});
  };
  show(records.first(low));
  if (all > low + high) {
    group.identical -= static_cast<int>(low + high);
    AppendEllipsis(parts, group);
  }
  show(records.last(high));
}

// A record that differs: whole on both sides where it has but one leaf, else with what differs in it.
void ShowDifferent(const Style& style, const Node& record, std::vector<Part>& parts) {
  if (record.descendants != record.depth) {
    parts.push_back({.key = record.key, .value = ShowNode(style, record)});
    return;
  }
  std::optional<DifferenceText> x, y;
  for (int step = -1; step <= kMostVerbose; ++step) {
    const Style used = step < 0 ? style : style.More(step);
    if (record.x.valid()) x = ShowNode(used.With('-'), record);
    if (record.y.valid()) y = ShowNode(used.With('+'), record);
    if (!x || !y || !(*x == *y)) break;
  }
  if (x) parts.push_back({.mark = '-', .key = record.key, .value = *std::move(x)});
  if (y) parts.push_back({.mark = '+', .key = record.key, .value = *std::move(y)});
}

DifferenceText ShowRecords(Style style, const Node& node) {
  const Kind kind = node.type->kind;
  const bool is_struct = kind == Kind::kStruct || kind == Kind::kIntOrString;
  const std::string_view name = is_struct ? "field" : kind == Kind::kMap ? "entry" : "element";
  const bool one_side = style.mode != 0;
  size_t most = static_cast<size_t>(-1);
  if (style.limited) most = style.mode == ' ' ? style.most_parts(0) : static_cast<size_t>((1 << style.level()) << 1);
  style = style.With(is_struct ? Style::Types::kOfParts : Style::Types::kLeftOut);
  if (style.limited) --style.verbosity;
  if (one_side) return DifferenceText::Braces(ShowOneSide(style, node, is_struct, most));

  std::vector<Part> parts;
  std::span<const Node> records = node.records;
  const std::vector<LeftOut> groups = Groups(name, records);
  LeftOut rest{.name = name};
  size_t shown = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    const size_t size = static_cast<size_t>(groups[i].identical + groups[i].differing());
    if (shown >= most) {
      rest.Add(groups[i]);
    } else if (groups[i].differing() == 0) {
      ShowSame(style, records.first(size), groups[i], i == 0, i + 1 == groups.size(), parts);
    } else {
      for (const Node& record : records.first(size)) ShowDifferent(style, record, parts);
      shown += size;
    }
    records = records.subspan(size);
  }
  if (!rest.none()) AppendEllipsis(parts, rest);
  return DifferenceText::Braces(std::move(parts));
}

// A leaf whose sides differ, or that is the same on both.
DifferenceText ShowLeaf(const Style& style, const Node& node) {
  if (style.mode == '-') return ShowValue(style, node.x);
  if (style.mode == '+') return ShowValue(style, node.y);
  if (node.different == 0) return ShowValue(style, node.x);
  std::vector<Part> parts;
  const Style plain = style.With(Style::Types::kLeftOut);
  if (node.x.valid()) parts.push_back({.mark = '-', .value = ShowValue(plain, node.x)});
  if (node.y.valid()) parts.push_back({.mark = '+', .value = ShowValue(plain, node.y)});
  return NameType(style.With(Style::Types::kNamed), *node.type, DifferenceText::Braces(std::move(parts)));
}

DifferenceText ShowNode(Style style, const Node& node) {
  if (style.mode == ' ') {
    style = style.WithVerbosity(1);
  } else if (style.level() < 3) {
    style = style.WithVerbosity(3);
  }
  if (node.depth == 0) return ShowLeaf(style, node);
  if (node.inner != nullptr) return DifferenceText::Wrap("&", ShowNode(style, *node.inner), "");
  return NameType(style, *node.type, ShowRecords(style, node));
}

}  // namespace

std::string Difference(std::string_view go_type, const Value& before, const Value& after) {
  const InternalType* type = FindInternal(go_type);
  if (type == nullptr) return base::Cat("  ", go_type, "{\n  }\n");
  const Node node = Compare(*type, {type, before, {}}, {type, after, {}});
  return node.different == 0 ? "" : ShowNode(Style(), node).Layout();
}

std::string Difference(const schema::Type& type, const Value& before, const Value& after) {
  return Difference(base::Cat("core.", type.struct_name()), before, after);
}

}  // namespace resources
