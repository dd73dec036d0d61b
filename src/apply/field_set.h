// FieldSet: a set of paths into an object, as server-side apply owns and compares them: a trie whose levels are sorted arrays. What
// managedFields' fieldsV1 encodes. Sets are immutable, live in an Arena and share parts with each other; nullptr is the empty set.
// Order, text forms and JSON form are those of structured-merge-diff v4 (f: field, k: list item by its keys, v: item of a set, i: index).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace apply {

using value::Arena;
using value::Value;

struct KeyField {
  std::string_view name;
  Value value;  // a scalar
};

// One step of a path.
struct PathElement {
  enum class Kind : uint8_t { kField, kKey, kValue, kIndex };  // in order of comparison
  Kind kind = Kind::kField;
  std::string_view field;            // kField
  std::span<const KeyField> keys;    // kKey, sorted by name
  Value value;                       // kValue a scalar, kIndex an int

  static PathElement Field(std::string_view name) { return {.kind = Kind::kField, .field = name, .keys = {}, .value = {}}; }
  static PathElement Keys(std::span<const KeyField> keys) { return {.kind = Kind::kKey, .field = {}, .keys = keys, .value = {}}; }
  static PathElement Item(Value item) { return {.kind = Kind::kValue, .field = {}, .keys = {}, .value = item}; }

  // As error texts show it: .name, [name="a",port=80], [="x"], [3].
  void AppendTo(std::string& out) const;
};
int Compare(const PathElement& a, const PathElement& b);

struct PathNode;

struct FieldSet {
  std::span<const PathNode> nodes;  // sorted by element, none twice; never empty
};

struct PathNode {
  PathElement element;
  bool member = false;                 // the path that ends here is in the set
  const FieldSet* children = nullptr;  // the paths that go on
};

// A set of these nodes, which are sorted here; nodes that stand for nothing are left out. nullptr when none is left.
const FieldSet* MakeSet(Arena& arena, std::vector<PathNode>& nodes);
// The same of nodes in the arena, which become the set; each must stand for something.
const FieldSet* MakeSet(Arena& arena, std::span<PathNode> nodes);

const FieldSet* Union(Arena& arena, const FieldSet* a, const FieldSet* b);
// All of many as one, in time and memory of their sum times the logarithm of their number.
const FieldSet* UnionAll(Arena& arena, std::vector<const FieldSet*> sets);
// Intersections and differences cost about the smaller of their sets, but for the nodes of `a` that stay.
const FieldSet* Intersection(Arena& arena, const FieldSet* a, const FieldSet* b);
// The paths of `a` that are not in `b`.
const FieldSet* Difference(Arena& arena, const FieldSet* a, const FieldSet* b);
// The paths of `a` that are not in `b` nor below one that is.
const FieldSet* RecursiveDifference(Arena& arena, const FieldSet* a, const FieldSet* b);

const PathNode* FindNode(const FieldSet* set, const PathElement& element);
bool Equal(const FieldSet* a, const FieldSet* b);
// Every path as error texts show it (".spec.replicas"): at each level those that end there, then those that go on.
std::vector<std::string> Paths(const FieldSet* set);
// The same, up to where they come to `most_bytes`: each may be long by the keys of items. `bytes` counts on.
std::vector<std::string> Paths(const FieldSet* set, size_t most_bytes, size_t& bytes);

// The set of one path of field names; for tables of paths ("metadata.labels").
const FieldSet* FromDottedPath(Arena& arena, std::string_view dotted);

// The fieldsV1 object (an empty one for the empty set).
Value EncodeFieldsV1(Arena& arena, const FieldSet* set);
// Reads a fieldsV1 object. Unknown kinds of elements are dropped; a malformed one is kInvalid. Depth is bounded by the document's reader.
// `as_encoded`, where given, becomes whether EncodeFieldsV1 writes the set so, but for the texts of keys and values.
base::Result<const FieldSet*> DecodeFieldsV1(Arena& arena, const Value& fields, bool* as_encoded = nullptr);

}  // namespace apply
