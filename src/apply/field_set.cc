#include "apply/field_set.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "value/json_reader.h"
#include "value/json_writer.h"

namespace apply {
namespace {

using base::Code;
using base::Fail;
using Kind = PathElement::Kind;

// Scalars in structured-merge-diff's order: numbers, strings, bools, everything else.
int Rank(const Value& v) {
  if (v.is_number()) return 0;
  if (v.is_string()) return 1;
  if (v.is_bool()) return 2;
  if (v.is_array()) return 3;
  if (v.is_object()) return 4;
  return 5;
}

template <class T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}
int Order(std::string_view a, std::string_view b) { return a.compare(b); }

int CompareScalars(const Value& a, const Value& b) {
  if (int order = Order(Rank(a), Rank(b))) return order;
  if (a.is_int() && b.is_int()) return Order(a.AsInt(), b.AsInt());
  if (a.is_number()) return Order(a.AsDouble(), b.AsDouble());
  if (a.is_string()) return Order(a.AsString(), b.AsString());
  if (a.is_bool()) return Order(a.AsBool(), b.AsBool());
  return 0;
}

int CompareKeys(std::span<const KeyField> a, std::span<const KeyField> b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (int order = Order(a[i].name, b[i].name)) return order;
    if (int order = CompareScalars(a[i].value, b[i].value)) return order;
  }
  return Order(a.size(), b.size());
}

// How error texts print a scalar inside an element: strings quoted, the rest as JSON.
void AppendScalar(const Value& v, std::string& out) { value::WriteJson(v, out); }

// The element's text in fieldsV1, not yet escaped as a JSON string.
void AppendElementText(const PathElement& element, std::string& out) {
  switch (element.kind) {
    case Kind::kField:
      out += "f:";
      out += element.field;
      return;
    case Kind::kKey: {
      out += "k:{";
      const char* comma = "";
      for (const KeyField& field : element.keys) {
        out += std::exchange(comma, ",");
        value::AppendJsonString(out, field.name);
        out += ':';
        value::WriteJson(field.value, out);
      }
      out += '}';
      return;
    }
    case Kind::kValue:
      out += "v:";
      value::WriteJson(element.value, out);
      return;
    case Kind::kIndex:
      out += "i:";
      out += std::to_string(element.value.AsInt());
      return;
  }
}

base::Result<PathElement> ReadKeys(Arena& arena, std::string_view json) {
  base::Result<Value> object = value::ReadJson(json, arena);
  if (!object) return std::unexpected(object.error());
  if (!object->is_object()) return Fail(Code::kInvalid, "the keys of a list item are no object");
  KeyField* keys = arena.AllocateArray<KeyField>(object->size());
  size_t count = 0;
  for (const value::Member& member : object->members()) keys[count++] = {member.key, member.value};
  std::ranges::stable_sort(keys, keys + count, {}, &KeyField::name);
  return PathElement::Keys({keys, count});
}

// An element from its fieldsV1 text. kNotFound: a kind that nobody knows yet, to be dropped.
base::Result<PathElement> ReadElement(Arena& arena, std::string_view text) {
  if (text.size() < 2) return Fail(Code::kInvalid, "key must be 2 characters long");
  if (text[1] != ':') return Fail(Code::kInvalid, "missing colon: " + std::string(text));
  std::string_view rest = text.substr(2);
  switch (text[0]) {
    case 'f':
      return PathElement::Field(rest);
    case 'k':
      return ReadKeys(arena, rest);
    case 'v': {
      base::Result<Value> item = value::ReadJson(rest, arena);
      if (!item) return std::unexpected(item.error());
      return PathElement::Item(*item);
    }
    case 'i': {
      int64_t index = 0;
      auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
      if (error != std::errc() || end != rest.data() + rest.size())
        return Fail(Code::kInvalid, "an index is no number");
      return PathElement{.kind = Kind::kIndex, .field = {}, .keys = {}, .value = Value::Int(index)};
    }
    default:
      return Fail(Code::kNotFound, "unknown path element type");
  }
}

// Nodes of `set` in step with those that come in order: each is found from where the last one was.
class Follower {
 public:
  // `others`: how many will be looked for.
  Follower(const FieldSet* set, size_t others)
      : nodes_(set ? set->nodes : std::span<const PathNode>()), leaps_(nodes_.size() > kMuchLarger * others) {}

  const PathNode* Find(const PathElement& element) {
    const auto before = [&](const PathNode& node) { return Compare(node.element, element) < 0; };
    if (leaps_) {
      nodes_ = {std::ranges::partition_point(nodes_, before), nodes_.end()};
    } else {
      while (!nodes_.empty() && before(nodes_.front())) nodes_ = nodes_.subspan(1);
    }
    return !nodes_.empty() && Compare(nodes_.front().element, element) == 0 ? &nodes_.front() : nullptr;
  }

 private:
  static constexpr size_t kMuchLarger = 16;
  std::span<const PathNode> nodes_;
  bool leaps_;
};

// What `combine(const PathNode& node, const PathNode* other)` makes of each node of `a` and the same element of `b`,
// where that has one.
template <class Combine>
const FieldSet* Sift(Arena& arena, const FieldSet* a, const FieldSet* b, Combine combine) {
  PathNode* nodes = nullptr;
  size_t count = 0;
  Follower others(b, a->nodes.size());
  for (const PathNode& node : a->nodes) {
    const PathNode kept = combine(node, others.Find(node.element));
    if (!kept.member && !kept.children) continue;
    if (!nodes) nodes = arena.AllocateArray<PathNode>(a->nodes.size() - static_cast<size_t>(&node - a->nodes.data()));
    new (&nodes[count++]) PathNode(kept);
  }
  if (count == 0) return nullptr;
  return new (arena.AllocateArray<FieldSet>(1)) FieldSet{{nodes, count}};
}

// Walks two sets in step and keeps what `combine(const PathNode* a, const PathNode* b)` makes of each element: a node
// that may stand for nothing.
template <class Combine>
const FieldSet* Zip(Arena& arena, const FieldSet* a, const FieldSet* b, Combine combine) {
  std::span<const PathNode> left = a ? a->nodes : std::span<const PathNode>();
  std::span<const PathNode> right = b ? b->nodes : std::span<const PathNode>();
  PathNode* nodes = arena.AllocateArray<PathNode>(left.size() + right.size());
  size_t count = 0;
  auto keep = [&](const PathNode& node) {
    if (node.member || node.children) nodes[count++] = node;
  };
  size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    int order = i == left.size() ? 1 : j == right.size() ? -1 : Compare(left[i].element, right[j].element);
    keep(combine(order <= 0 ? &left[i] : nullptr, order >= 0 ? &right[j] : nullptr));
    i += order <= 0;
    j += order >= 0;
  }
  if (count == 0) return nullptr;
  return new (arena.AllocateArray<FieldSet>(1)) FieldSet{{nodes, count}};
}

class PathLister {
 public:
  PathLister(size_t most_bytes, size_t& bytes) : most_bytes_(most_bytes), bytes_(bytes) {}

  void Add(const FieldSet* set) {
    if (!set) return;
    const size_t length = prefix_.size();
    for (const PathNode& node : set->nodes) {
      if (!node.member) continue;
      if (bytes_ >= most_bytes_) return;
      node.element.AppendTo(prefix_);
      bytes_ += prefix_.size();
      paths_.push_back(prefix_);
      prefix_.resize(length);
    }
    for (const PathNode& node : set->nodes) {
      if (!node.children) continue;
      if (bytes_ >= most_bytes_) return;
      node.element.AppendTo(prefix_);
      Add(node.children);
      prefix_.resize(length);
    }
  }
  std::vector<std::string> Take() && { return std::move(paths_); }

 private:
  size_t most_bytes_;
  size_t& bytes_;
  std::string prefix_;
  std::vector<std::string> paths_;
};

Value Encode(Arena& arena, const FieldSet* set, bool self, std::string& text) {
  const auto nodes = set ? set->nodes : std::span<const PathNode>();
  self = self && set;
  Value fields = Value::Object(arena, static_cast<uint32_t>(nodes.size() + self));
  if (self) fields.Add(arena, ".", Value::Object(arena));
  for (const PathNode& node : nodes) {
    text.clear();
    AppendElementText(node.element, text);
    const std::string_view name = arena.CopyString(text);
    fields.Add(arena, name, Encode(arena, node.children, node.member, text));
  }
  return fields;
}

struct Decoded {
  const FieldSet* children = nullptr;
  bool member = false;
};

// `as_encoded` becomes false where Encode would write it otherwise.
base::Result<Decoded> Decode(Arena& arena, const Value& fields, bool& as_encoded) {
  Decoded decoded;
  PathNode* nodes = arena.AllocateArray<PathNode>(fields.size());
  size_t count = 0;
  for (const value::Member& member : fields.members()) {
    if (member.key == ".") {
      as_encoded = as_encoded && count == 0 && fields.size() > 1 && !decoded.member;
      decoded.member = true;
      continue;
    }
    base::Result<PathElement> element = ReadElement(arena, member.key);
    if (!element && element.error().code == Code::kNotFound) {
      as_encoded = false;
      continue;
    }
    if (!element) return std::unexpected(element.error());
    if (!member.value.is_object() && !member.value.is_null())
      return Fail(Code::kInvalid, "fields of an element are no object");
    base::Result<Decoded> below = Decode(arena, member.value, as_encoded);
    if (!below) return std::unexpected(below.error());
    new (&nodes[count++]) PathNode{*element, below->member, below->children};
    as_encoded = as_encoded && member.value.is_object() &&
                 (count == 1 || Compare(nodes[count - 2].element, nodes[count - 1].element) < 0);
  }
  decoded.children = MakeSet(arena, std::span(nodes, count));
  if (!decoded.children) decoded.member = true;
  return decoded;
}

}  // namespace

void PathElement::AppendTo(std::string& out) const {
  switch (kind) {
    case Kind::kField:
      out += '.';
      out += field;
      return;
    case Kind::kKey: {
      out += '[';
      const char* comma = "";
      for (const KeyField& key : keys) {
        out += std::exchange(comma, ",");
        out += key.name;
        out += '=';
        AppendScalar(key.value, out);
      }
      out += ']';
      return;
    }
    case Kind::kValue:
      out += "[=";
      AppendScalar(value, out);
      out += ']';
      return;
    case Kind::kIndex:
      out += '[' + std::to_string(value.AsInt()) + ']';
      return;
  }
}

int Compare(const PathElement& a, const PathElement& b) {
  if (int order = Order(a.kind, b.kind)) return order;
  switch (a.kind) {
    case Kind::kField:
      return Order(a.field, b.field);
    case Kind::kKey:
      return CompareKeys(a.keys, b.keys);
    default:
      return CompareScalars(a.value, b.value);
  }
}

const FieldSet* MakeSet(Arena& arena, std::vector<PathNode>& nodes) {
  auto before = [](const PathNode& a, const PathNode& b) { return Compare(a.element, b.element) < 0; };
  if (!std::ranges::is_sorted(nodes, before)) std::ranges::stable_sort(nodes, before);
  PathNode* kept = arena.AllocateArray<PathNode>(nodes.size());
  size_t count = 0;
  for (const PathNode& node : nodes) {
    if (!node.member && !node.children) continue;
    if (count > 0 && Compare(kept[count - 1].element, node.element) == 0) {
      kept[count - 1].member |= node.member;
      kept[count - 1].children = Union(arena, kept[count - 1].children, node.children);
    } else {
      new (&kept[count++]) PathNode(node);
    }
  }
  if (count == 0) return nullptr;
  return new (arena.AllocateArray<FieldSet>(1)) FieldSet{{kept, count}};
}

const FieldSet* MakeSet(Arena& arena, std::span<PathNode> nodes) {
  if (nodes.empty()) return nullptr;
  const auto order = [](const PathNode& a, const PathNode& b) { return Compare(a.element, b.element); };
  const auto unordered = [&](const PathNode& a, const PathNode& b) { return order(a, b) >= 0; };
  if (std::ranges::adjacent_find(nodes, unordered) != nodes.end()) {
    std::ranges::sort(nodes, [&](const PathNode& a, const PathNode& b) { return order(a, b) < 0; });
    if (std::ranges::adjacent_find(nodes, unordered) != nodes.end()) {  // one that is there twice
      std::vector<PathNode> repeated(nodes.begin(), nodes.end());
      return MakeSet(arena, repeated);
    }
  }
  return new (arena.AllocateArray<FieldSet>(1)) FieldSet{nodes};
}

const FieldSet* Union(Arena& arena, const FieldSet* a, const FieldSet* b) {
  if (!a || a == b) return b;
  if (!b) return a;
  return Zip(arena, a, b, [&](const PathNode* left, const PathNode* right) {
    if (!left || !right) return left ? *left : *right;
    return PathNode{left->element, left->member || right->member, Union(arena, left->children, right->children)};
  });
}

const FieldSet* UnionAll(Arena& arena, std::vector<const FieldSet*> sets) {
  while (sets.size() > 1) {  // in pairs
    size_t kept = 0;
    for (size_t i = 0; i < sets.size(); i += 2)
      sets[kept++] = i + 1 < sets.size() ? Union(arena, sets[i], sets[i + 1]) : sets[i];
    sets.resize(kept);
  }
  return sets.empty() ? nullptr : sets[0];
}

const FieldSet* Intersection(Arena& arena, const FieldSet* a, const FieldSet* b) {
  if (!a || !b || a == b) return a == b ? a : nullptr;
  if (b->nodes.size() < a->nodes.size()) std::swap(a, b);
  return Sift(arena, a, b, [&](const PathNode& node, const PathNode* other) {
    if (!other) return PathNode{};
    return PathNode{node.element, node.member && other->member, Intersection(arena, node.children, other->children)};
  });
}

const FieldSet* Difference(Arena& arena, const FieldSet* a, const FieldSet* b) {
  if (!a || !b) return a;
  return Sift(arena, a, b, [&](const PathNode& node, const PathNode* other) {
    if (!other) return node;
    return PathNode{node.element, node.member && !other->member, Difference(arena, node.children, other->children)};
  });
}

const FieldSet* RecursiveDifference(Arena& arena, const FieldSet* a, const FieldSet* b) {
  if (!a || !b) return a;
  return Sift(arena, a, b, [&](const PathNode& node, const PathNode* other) {
    if (!other) return node;
    if (other->member) return PathNode{};
    return PathNode{node.element, node.member, RecursiveDifference(arena, node.children, other->children)};
  });
}

const PathNode* FindNode(const FieldSet* set, const PathElement& element) {
  if (!set) return nullptr;
  auto found = std::ranges::partition_point(set->nodes,
                                            [&](const PathNode& node) { return Compare(node.element, element) < 0; });
  return found != set->nodes.end() && Compare(found->element, element) == 0 ? &*found : nullptr;
}

bool Equal(const FieldSet* a, const FieldSet* b) {
  if (a == b || !a || !b) return a == b;
  return std::ranges::equal(a->nodes, b->nodes, [](const PathNode& left, const PathNode& right) {
    return left.member == right.member && Compare(left.element, right.element) == 0 &&
           Equal(left.children, right.children);
  });
}

std::vector<std::string> Paths(const FieldSet* set) {
  size_t bytes = 0;
  return Paths(set, SIZE_MAX, bytes);
}

std::vector<std::string> Paths(const FieldSet* set, size_t most_bytes, size_t& bytes) {
  PathLister lister(most_bytes, bytes);
  lister.Add(set);
  return std::move(lister).Take();
}

const FieldSet* FromDottedPath(Arena& arena, std::string_view dotted) {
  size_t dot = dotted.find('.');
  std::vector<PathNode> node{{PathElement::Field(dotted.substr(0, dot)), dot == dotted.npos, nullptr}};
  if (dot != dotted.npos) node[0].children = FromDottedPath(arena, dotted.substr(dot + 1));
  return MakeSet(arena, node);
}

Value EncodeFieldsV1(Arena& arena, const FieldSet* set) {
  std::string text;
  return Encode(arena, set, false, text);
}

base::Result<const FieldSet*> DecodeFieldsV1(Arena& arena, const Value& fields, bool* as_encoded) {
  if (!fields.is_object() && !fields.is_null()) return Fail(Code::kInvalid, "expected a map of fields");
  bool as_written = true;
  base::Result<Decoded> decoded = Decode(arena, fields, as_written);
  if (!decoded) return std::unexpected(decoded.error());
  if (as_encoded) *as_encoded = as_written && !fields.Find(".");
  return decoded->children;
}

}  // namespace apply
