#include "apply/json_patch.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "value/member_index.h"
#include "value/quote.h"

namespace apply {
namespace {

using base::Code;
using base::Fail;
using value::Arena;
using value::Kind;
using value::Member;
using value::Value;

// About the length of the value's compact JSON: what the copy limit counts.
int64_t JsonSize(const Value& v) {
  switch (v.kind()) {
    case Kind::kString:
    case Kind::kBytes:
      return static_cast<int64_t>(v.AsString().size()) + 2;
    case Kind::kInt:
      return static_cast<int64_t>(std::to_string(v.AsInt()).size());
    case Kind::kDouble:
      return static_cast<int64_t>(v.literal().size());
    case Kind::kArray: {
      int64_t size = 2 + std::max<int64_t>(0, int64_t{v.size()} - 1);
      for (const Value& item : v.items()) size += JsonSize(item);
      return size;
    }
    case Kind::kObject: {
      int64_t size = 2 + std::max<int64_t>(0, int64_t{v.size()} - 1);
      for (const Member& member : v.members())
        size += static_cast<int64_t>(member.key.size()) + 3 + JsonSize(member.value);
      return size;
    }
    case Kind::kBool:
      return v.AsBool() ? 4 : 5;
    default:
      return 4;
  }
}

// Equal as `test` sees it: like Equal, but numbers by their text (2.0 is not 2).
bool SameText(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.kind() == Kind::kDouble) return a.literal() == b.literal();
  if (a.kind() == Kind::kArray)
    return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(), SameText);
  if (a.kind() != Kind::kObject) return value::Equal(a, b);
  if (a.size() != b.size()) return false;
  const value::MemberIndex others(b);
  return std::all_of(a.members().begin(), a.members().end(), [&](const Member& member) {
    const Value* other = others.Find(member.key);
    return other && SameText(member.value, *other);
  });
}

// How deep the containers of a value are in each other: 0 of what is none. `steps` counts what was looked at.
uint32_t DepthOf(const Value& v, int64_t& steps) {
  ++steps;
  uint32_t deepest = 0;
  for (const Value& item : v.items()) deepest = std::max(deepest, DepthOf(item, steps));
  for (const Member& member : v.members()) deepest = std::max(deepest, DepthOf(member.value, steps));
  return v.is_array() || v.is_object() ? deepest + 1 : 0;
}
uint32_t DepthOf(const Value& v) {
  int64_t steps = 0;
  return DepthOf(v, steps);
}

// A part of the document: as it was read, or taken apart because an operation went through it. What is not taken apart
// is never changed, so that trees are shared freely between the document, the patch and copies. The patch owns all
// nodes until it ends.
struct Node;
struct Parts {
  bool is_object = false;
  absl::btree_map<std::string_view, Node*> members;
  std::vector<Node*> items;
};
struct Node {
  Value read;
  std::unique_ptr<Parts> parts;

  Value Close(Arena& arena) const {
    if (!parts) return read;
    if (!parts->is_object) {
      const Value array = Value::Array(arena, static_cast<uint32_t>(parts->items.size()));
      for (const Node* item : parts->items) array.Append(arena, item->Close(arena));
      return array;
    }
    Value object = Value::Object(arena, static_cast<uint32_t>(parts->members.size()));
    for (const auto& [key, member] : parts->members) object.Add(arena, key, member->Close(arena));
    return object;
  }

  // As DepthOf.
  uint32_t Depth(int64_t& steps) const {
    ++steps;
    if (!parts) return DepthOf(read, steps);
    uint32_t deepest = 0;
    for (const Node* item : parts->items) deepest = std::max(deepest, item->Depth(steps));
    for (const auto& [key, member] : parts->members) deepest = std::max(deepest, member->Depth(steps));
    return deepest + 1;
  }

  bool SameText(const Value& other) const {
    if (!parts) return apply::SameText(read, other);
    if (!parts->is_object) {
      return other.is_array() && std::ranges::equal(parts->items, other.items(),
                                                    [](const Node* item, const Value& v) { return item->SameText(v); });
    }
    if (!other.is_object() || other.size() != parts->members.size()) return false;
    const value::MemberIndex others(other);
    return std::ranges::all_of(parts->members, [&](const auto& part) {
      const Value* v = others.Find(part.first);
      return v != nullptr && part.second->SameText(*v);
    });
  }
};

// A field of an operation: of repeated ones the last. Null where it is missing.
Value FieldOf(const Value& operation, std::string_view field) {
  Value last;
  for (const Member& member : operation.members()) {
    if (member.key == field) last = member.value;
  }
  return last;
}

// The text of an operation's string field; nullopt where it is missing or null.
std::optional<std::string_view> Text(const Value& operation, std::string_view field) {
  const Value found = FieldOf(operation, field);
  if (!found.is_string()) return std::nullopt;
  return found.AsString();
}

class Patcher {
 public:
  Patcher(Arena& arena, const Value& document, const JsonPatchLimits& limits)
      : arena_(arena), root_(NodeOf(document)), limits_(limits), deepest_(DepthOf(document)) {
    Open(*root_);
  }

  base::Result<> Apply(const Value& operation) {
    const std::string_view op = Text(operation, "op").value_or("unknown");
    const bool has_source = op == "move" || op == "copy";
    if (!has_source && op != "add" && op != "remove" && op != "replace" && op != "test") {
      return Fail(Code::kInvalid, "Unexpected kind: " + std::string(op));
    }
    const std::optional<std::string_view> path = Text(operation, "path"), from = Text(operation, "from");
    if (has_source && !from) {
      return Undecoded(op, "from", "operation, missing from field: missing value");
    }
    if (!path) {
      const bool bare = op == "add" || op == "remove" || op == "copy";
      return Undecoded(op, "path", bare ? "missing value" : "operation missing path field: missing value");
    }
    if (op == "add") return Add(*path, FieldOf(operation, "value"));
    if (op == "remove") return Remove(*path);
    if (op == "replace") return Replace(*path, FieldOf(operation, "value"));
    if (op == "test") return Test(*path, FieldOf(operation, "value"));
    return op == "move" ? Move(*from, *path) : Copy(*from, *path);
  }

  Value result() const { return root_->Close(arena_); }

 private:
  // An opened container, in how many it is and itself, and the last segment of a path in it.
  struct Place {
    Node* container;
    uint32_t depth;
    std::string_view key;
    bool in_object() const { return container->parts->is_object; }
  };

  static std::unexpected<base::Error> Undecoded(std::string_view op, std::string_view field, std::string_view why) {
    return Fail(Code::kInvalid,
                std::string(op) + " operation failed to decode " + std::string(field) + ": " + std::string(why));
  }
  // What an operation says of an error of one of its steps.
  static std::unexpected<base::Error> In(const std::string& where, const base::Error& error) {
    if (error.code != Code::kInvalid) return std::unexpected(error);
    return Fail(Code::kInvalid, where + ": " + error.message);
  }
  static std::string At(std::string_view what, std::string_view path) {
    return "error in " + std::string(what) + ": '" + std::string(path) + "'";
  }

  Node* NodeOf(const Value& v) { return &nodes_.emplace_back(Node{v, nullptr}); }

  // Takes the value apart one level deep. False: it is no container.
  bool Open(Node& node) {
    if (node.parts) return true;
    if (!node.read.is_object() && !node.read.is_array()) return false;
    node.parts = std::make_unique<Parts>();
    node.parts->is_object = node.read.is_object();
    for (const Member& member : node.read.members())
      node.parts->members.insert_or_assign(member.key, NodeOf(member.value));
    node.parts->items.reserve(node.read.items().size());
    for (const Value& item : node.read.items()) node.parts->items.push_back(NodeOf(item));
    return true;
  }

  // A value of `depth` containers goes to the place.
  base::Result<> HoldDepth(const Place& place, uint32_t depth) {
    if (place.depth + depth > limits_.depth) return Fail(Code::kInvalid, "exceeded max depth");
    deepest_ = std::max(deepest_, place.depth + depth);
    return {};
  }

  // Counts what an operation moves or looks at beyond what it says itself.
  base::Result<> Spend(int64_t steps) {
    steps_ += steps;
    if (steps_ <= limits_.steps) return {};
    return Fail(Code::kExhausted, "the operations of the patch move too many items");
  }

  std::string_view Unescape(std::string_view segment) {
    if (segment.find('~') == segment.npos) return segment;
    std::string text;
    for (size_t i = 0; i < segment.size(); ++i) {
      bool escape = segment[i] == '~' && i + 1 < segment.size() && (segment[i + 1] == '0' || segment[i + 1] == '1');
      text += escape ? (segment[++i] == '0' ? '~' : '/') : segment[i];
    }
    return arena_.CopyString(text);
  }

  // `missing`: what is said where the path leads nowhere, before the path.
  base::Result<Place> Locate(std::string_view path, std::string_view missing, bool quoted = false) {
    const auto nowhere = [&] {
      const std::string shown = quoted ? "\"" + std::string(path) + "\"" : std::string(path);
      return Fail(Code::kInvalid, std::string(missing) + shown + ": missing value");
    };
    size_t slash = path.find('/');  // whatever stands before the first slash is not looked at
    if (slash == path.npos) return nowhere();
    Node* at = root_;
    uint32_t depth = 1;
    for (std::string_view rest = path.substr(slash + 1);;) {
      size_t end = rest.find('/');
      if (end == rest.npos) return Place{at, depth, Unescape(rest)};
      base::Result<Node*> next = Get({at, depth, Unescape(rest.substr(0, end))});
      if (!next || !*next || !Open(**next)) return nowhere();
      at = *next;
      ++depth;
      rest.remove_prefix(end + 1);
    }
  }

  // The index that `key` means in a list of `size`: Go's Atoi (a sign and leading zeros are fine), negative from the
  // end.
  static base::Result<size_t> Index(std::string_view key, size_t size) {
    std::string_view digits = key;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    int64_t index = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (digits.empty() || key.starts_with("+-") || error != std::errc() || end != digits.data() + digits.size()) {
      const bool syntax = error == std::errc() || error == std::errc::invalid_argument;
      return Fail(Code::kInvalid, "strconv.Atoi: parsing " + value::Quote(key) +
                                      (syntax ? ": invalid syntax" : ": value out of range"));
    }
    const int64_t named = index;
    if (index < 0) index += static_cast<int64_t>(size);
    if (index < 0 || index >= static_cast<int64_t>(size)) {
      return Fail(Code::kInvalid,
                  "Unable to access invalid index: " + std::to_string(named) + ": invalid index referenced");
    }
    return static_cast<size_t>(index);
  }

  // The node there; nullptr for a missing member.
  static base::Result<Node*> Get(const Place& place) {
    const Parts& parts = *place.container->parts;
    if (place.in_object()) {
      const auto found = parts.members.find(place.key);
      return found == parts.members.end() ? nullptr : found->second;
    }
    base::Result<size_t> index = Index(place.key, parts.items.size());
    if (!index) return std::unexpected(index.error());
    return parts.items[*index];
  }

  base::Result<> AddAt(const Place& place, Node* node) {
    std::vector<Node*>& items = place.container->parts->items;
    if (place.in_object()) {
      place.container->parts->members.insert_or_assign(place.key, node);
    } else if (place.key == "-") {
      items.push_back(node);
    } else {
      base::Result<size_t> index = Index(place.key, items.size() + 1);
      if (!index && index.error().message.starts_with("strconv")) {
        return In("value was not a proper array index: '" + std::string(place.key) + "'", index.error());
      }
      if (!index) return std::unexpected(index.error());
      if (auto spent = Spend(static_cast<int64_t>(items.size() - *index)); !spent) return spent;
      items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), node);
    }
    return {};
  }

  base::Result<Node*> TakeFrom(const Place& place) {
    Parts& parts = *place.container->parts;
    if (place.in_object()) {
      const auto found = parts.members.find(place.key);
      if (found == parts.members.end()) {
        return Fail(Code::kInvalid, "Unable to remove nonexistent key: " + std::string(place.key) + ": missing value");
      }
      Node* taken = found->second;
      parts.members.erase(found);
      return taken;
    }
    base::Result<size_t> index = Index(place.key, parts.items.size());
    if (!index) return std::unexpected(index.error());
    if (auto spent = Spend(static_cast<int64_t>(parts.items.size() - *index)); !spent)
      return std::unexpected(spent.error());
    Node* taken = parts.items[*index];
    parts.items.erase(parts.items.begin() + static_cast<std::ptrdiff_t>(*index));
    return taken;
  }

  base::Result<> Add(std::string_view path, const Value& item) {
    base::Result<Place> place = Locate(path, "add operation does not apply: doc is missing path: ", true);
    if (!place) return std::unexpected(place.error());
    if (auto fits = HoldDepth(*place, DepthOf(item)); !fits) return fits;
    if (auto added = AddAt(*place, NodeOf(item)); !added) return In(At("add for path", path), added.error());
    return {};
  }

  base::Result<> Remove(std::string_view path) {
    base::Result<Place> place = Locate(path, "remove operation does not apply: doc is missing path: ", true);
    if (!place) return std::unexpected(place.error());
    base::Result<Node*> taken = TakeFrom(*place);
    if (!taken) return In(At("remove for path", path), taken.error());
    return {};
  }

  base::Result<> Replace(std::string_view path, const Value& item) {
    if (path.empty()) {
      Node* root = NodeOf(item);
      if (!Open(*root)) return {};  // what is no container changes nothing
      root_ = root;
      deepest_ = DepthOf(item);
      return {};
    }
    base::Result<Place> place = Locate(path, "replace operation does not apply: doc is missing path: ");
    if (!place) return std::unexpected(place.error());
    if (auto fits = HoldDepth(*place, DepthOf(item)); !fits) return fits;
    if (place->in_object()) return AddAt(*place, NodeOf(item));
    std::vector<Node*>& items = place->container->parts->items;
    base::Result<size_t> index = Index(place->key, items.size());
    if (!index) {
      return Fail(Code::kInvalid,
                  "replace operation does not apply: doc is missing key: " + std::string(path) + ": missing value");
    }
    items[*index] = NodeOf(item);
    return {};
  }

  base::Result<> Test(std::string_view path, const Value& wanted) {
    const Node* found = root_;
    if (!path.empty()) {
      base::Result<Place> place = Locate(path, "test operation does not apply: is missing path: ");
      if (!place) return std::unexpected(place.error());
      base::Result<Node*> at = Get(*place);
      if (!at) return In(At("test for path", path), at.error());
      found = *at;
    }
    if (found ? found->SameText(wanted) : wanted.is_null()) return {};
    return Fail(Code::kInvalid, "testing value " + std::string(path) + " failed: test failed");
  }

  base::Result<> Move(std::string_view from, std::string_view path) {
    base::Result<Place> source = Locate(from, "move operation does not apply: doc is missing from path: ");
    if (!source) return std::unexpected(source.error());
    base::Result<Node*> taken = TakeFrom(*source);
    if (!taken) return In(At("move for path", source->key), taken.error());
    base::Result<Place> place = Locate(path, "move operation does not apply: doc is missing destination path: ");
    if (!place) return std::unexpected(place.error());
    // How deep it is at most is known; how deep it is, only by looking.
    uint32_t depth = deepest_ > source->depth ? deepest_ - source->depth : 0;
    if (place->depth + depth > limits_.depth) {
      int64_t steps = 0;
      depth = (*taken)->Depth(steps);
      if (auto spent = Spend(kStepsOfLook * steps); !spent) return spent;
    }
    if (auto fits = HoldDepth(*place, depth); !fits) return fits;
    if (auto added = AddAt(*place, *taken); !added) return In(At("move for path", path), added.error());
    return {};
  }

  base::Result<> Copy(std::string_view from, std::string_view path) {
    base::Result<Place> source = Locate(from, "copy operation does not apply: doc is missing from path: ");
    if (!source) return std::unexpected(source.error());
    base::Result<Node*> found = Get(*source);
    if (!found) return In(At("copy for from", from), found.error());
    base::Result<Place> place = Locate(path, "copy operation does not apply: doc is missing destination path: ");
    if (!place) return std::unexpected(place.error());
    Value original = *found ? (*found)->Close(arena_) : Value();
    copied_ += JsonSize(original);
    if (copied_ > limits_.copied_bytes) {
      return Fail(Code::kExhausted, "unable to complete the copy, the accumulated size increase of copy is " +
                                        std::to_string(copied_) + ", exceeding the limit " +
                                        std::to_string(limits_.copied_bytes));
    }
    if (auto fits = HoldDepth(*place, DepthOf(original)); !fits) return fits;
    if (auto added = AddAt(*place, NodeOf(original)); !added) {
      return In("error while adding value during copy", added.error());
    }
    return {};
  }

  static constexpr int64_t kStepsOfLook = 16;

  Arena& arena_;
  std::deque<Node> nodes_;
  Node* root_;
  const JsonPatchLimits& limits_;
  int64_t copied_ = 0, steps_ = 0;
  uint32_t deepest_;  // no container of the document is in more, itself counted
};

}  // namespace

base::Result<Value> ApplyJsonPatch(Arena& arena, const Value& document, const Value& patch,
                                   const JsonPatchLimits& limits) {
  if (patch.size() > limits.operations) {
    return Fail(Code::kExhausted, "The allowed maximum operations in a JSON patch is " +
                                      std::to_string(limits.operations) + ", got " + std::to_string(patch.size()));
  }
  if (patch.empty()) return document;
  Patcher patcher(arena, document, limits);
  for (const Value& operation : patch.items()) {
    if (base::Result<> applied = patcher.Apply(operation); !applied) return std::unexpected(applied.error());
  }
  return patcher.result();
}

}  // namespace apply
