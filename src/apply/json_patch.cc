#include "apply/json_patch.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"

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
  return std::all_of(a.members().begin(), a.members().end(), [&](const Member& member) {
    const Value* other = b.Find(member.key);
    return other && SameText(member.value, *other);
  });
}

// A part of the document: as it was read, or taken apart because an operation went through it. What is not taken apart
// is never changed, so that trees are shared freely between the document, the patch and copies.
struct Node {
  enum class Form { kRead, kObject, kArray };
  Form form = Form::kRead;
  Value read;
  absl::btree_map<std::string_view, std::unique_ptr<Node>> members;
  std::vector<std::unique_ptr<Node>> items;

  static std::unique_ptr<Node> Of(const Value& v) {
    auto node = std::make_unique<Node>();
    node->read = v;
    return node;
  }

  bool is_null() const { return form == Form::kRead && read.is_null(); }

  // Takes the value apart one level deep. False: it is no container.
  bool Open() {
    if (form != Form::kRead) return true;
    if (!read.is_object() && !read.is_array()) return false;
    for (const Member& member : read.members()) members.insert_or_assign(member.key, Of(member.value));
    for (const Value& item : read.items()) items.push_back(Of(item));
    form = read.is_object() ? Form::kObject : Form::kArray;
    return true;
  }

  Value Close(Arena& arena) const {
    if (form == Form::kRead) return read;
    if (form == Form::kArray) {
      Value array = Value::Array(arena, static_cast<uint32_t>(items.size()));
      for (const auto& item : items) array.Append(arena, item->Close(arena));
      return array;
    }
    Value object = Value::Object(arena, static_cast<uint32_t>(members.size()));
    for (const auto& [key, member] : members) object.Add(arena, key, member->Close(arena));
    return object;
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
      : arena_(arena), root_(Node::Of(document)), limits_(limits) {
    root_->Open();
  }

  base::Result<> Apply(const Value& operation) {
    std::string_view op = Text(operation, "op").value_or("");
    std::optional<std::string_view> path = Text(operation, "path");
    if (!path) return Fail(Code::kInvalid, "operation failed to decode path");
    if (op == "add") return Add(*path, FieldOf(operation, "value"));
    if (op == "remove") return Remove(*path);
    if (op == "replace") return Replace(*path, FieldOf(operation, "value"));
    if (op == "test") return Test(*path, FieldOf(operation, "value"));
    if (op != "move" && op != "copy") return Fail(Code::kInvalid, "unexpected kind: " + std::string(op));
    std::optional<std::string_view> from = Text(operation, "from");
    if (!from) return Fail(Code::kInvalid, "operation failed to decode from");
    return op == "move" ? Move(*from, *path) : Copy(*from, *path);
  }

  Value result() const { return root_->Close(arena_); }

 private:
  // An opened container and the last segment of a path in it.
  struct Place {
    Node* container;
    std::string_view key;
    bool in_object() const { return container->form == Node::Form::kObject; }
  };

  std::string_view Unescape(std::string_view segment) {
    if (segment.find('~') == segment.npos) return segment;
    std::string text;
    for (size_t i = 0; i < segment.size(); ++i) {
      bool escape = segment[i] == '~' && i + 1 < segment.size() && (segment[i + 1] == '0' || segment[i + 1] == '1');
      text += escape ? (segment[++i] == '0' ? '~' : '/') : segment[i];
    }
    return arena_.CopyString(text);
  }

  base::Result<Place> Locate(std::string_view path) {
    size_t slash = path.find('/');  // whatever stands before the first slash is not looked at
    if (slash == path.npos) return Fail(Code::kInvalid, "missing path: \"" + std::string(path) + "\"");
    Node* at = root_.get();
    for (std::string_view rest = path.substr(slash + 1);;) {
      size_t end = rest.find('/');
      if (end == rest.npos) return Place{at, Unescape(rest)};
      base::Result<Node*> next = Get({at, Unescape(rest.substr(0, end))});
      if (!next || !*next || !(*next)->Open())
        return Fail(Code::kInvalid, "doc is missing path: \"" + std::string(path) + "\"");
      at = *next;
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
      return Fail(Code::kInvalid, "value was not a proper array index: '" + std::string(key) + "'");
    }
    if (index < 0) index += static_cast<int64_t>(size);
    if (index < 0 || index >= static_cast<int64_t>(size)) {
      return Fail(Code::kInvalid, "unable to access invalid index: " + std::string(key));
    }
    return static_cast<size_t>(index);
  }

  // The node there; nullptr for a missing member.
  static base::Result<Node*> Get(const Place& place) {
    if (place.in_object()) {
      auto found = place.container->members.find(place.key);
      return found == place.container->members.end() ? nullptr : found->second.get();
    }
    base::Result<size_t> index = Index(place.key, place.container->items.size());
    if (!index) return std::unexpected(index.error());
    return place.container->items[*index].get();
  }

  static base::Result<> AddAt(const Place& place, std::unique_ptr<Node> node) {
    std::vector<std::unique_ptr<Node>>& items = place.container->items;
    if (place.in_object()) {
      place.container->members.insert_or_assign(place.key, std::move(node));
    } else if (place.key == "-") {
      items.push_back(std::move(node));
    } else {
      base::Result<size_t> index = Index(place.key, items.size() + 1);
      if (!index) return std::unexpected(index.error());
      items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), std::move(node));
    }
    return {};
  }

  static base::Result<std::unique_ptr<Node>> TakeFrom(const Place& place) {
    std::unique_ptr<Node> taken;
    if (place.in_object()) {
      auto found = place.container->members.find(place.key);
      if (found == place.container->members.end()) {
        return Fail(Code::kInvalid, "unable to remove nonexistent key: " + std::string(place.key));
      }
      taken = std::move(found->second);
      place.container->members.erase(found);
      return taken;
    }
    base::Result<size_t> index = Index(place.key, place.container->items.size());
    if (!index) return std::unexpected(index.error());
    taken = std::move(place.container->items[*index]);
    place.container->items.erase(place.container->items.begin() + static_cast<std::ptrdiff_t>(*index));
    return taken;
  }

  base::Result<> Add(std::string_view path, const Value& item) {
    base::Result<Place> place = Locate(path);
    if (!place) return std::unexpected(place.error());
    return AddAt(*place, Node::Of(item));
  }

  base::Result<> Remove(std::string_view path) {
    base::Result<Place> place = Locate(path);
    if (!place) return std::unexpected(place.error());
    base::Result<std::unique_ptr<Node>> taken = TakeFrom(*place);
    if (!taken) return std::unexpected(taken.error());
    return {};
  }

  base::Result<> Replace(std::string_view path, const Value& item) {
    if (path.empty()) {
      std::unique_ptr<Node> root = Node::Of(item);
      if (root->Open()) root_ = std::move(root);  // what is no container changes nothing
      return {};
    }
    base::Result<Place> place = Locate(path);
    if (!place) return std::unexpected(place.error());
    if (place->in_object()) return AddAt(*place, Node::Of(item));
    base::Result<size_t> index = Index(place->key, place->container->items.size());
    if (!index) return std::unexpected(index.error());
    place->container->items[*index] = Node::Of(item);
    return {};
  }

  base::Result<> Test(std::string_view path, const Value& wanted) {
    const Node* found = root_.get();
    if (!path.empty()) {
      base::Result<Place> place = Locate(path);
      if (!place) return std::unexpected(place.error());
      base::Result<Node*> at = Get(*place);
      if (!at) return std::unexpected(at.error());
      found = *at;
    }
    if (SameText(found ? found->Close(arena_) : Value(), wanted)) return {};
    return Fail(Code::kInvalid, "testing value " + std::string(path) + " failed");
  }

  base::Result<> Move(std::string_view from, std::string_view path) {
    base::Result<Place> source = Locate(from);
    if (!source) return std::unexpected(source.error());
    base::Result<std::unique_ptr<Node>> taken = TakeFrom(*source);
    if (!taken) return std::unexpected(taken.error());
    base::Result<Place> place = Locate(path);
    if (!place) return std::unexpected(place.error());
    return AddAt(*place, std::move(*taken));
  }

  base::Result<> Copy(std::string_view from, std::string_view path) {
    base::Result<Place> source = Locate(from);
    if (!source) return std::unexpected(source.error());
    base::Result<Node*> found = Get(*source);
    if (!found) return std::unexpected(found.error());
    base::Result<Place> place = Locate(path);
    if (!place) return std::unexpected(place.error());
    Value original = *found ? (*found)->Close(arena_) : Value();
    copied_ += JsonSize(original);
    if (copied_ > limits_.copied_bytes) {
      return Fail(Code::kExhausted, "unable to complete the copy, the accumulated size increase of copy is " +
                                        std::to_string(copied_) + ", exceeding the limit " +
                                        std::to_string(limits_.copied_bytes));
    }
    return AddAt(*place, Node::Of(original));
  }

  Arena& arena_;
  std::unique_ptr<Node> root_;
  const JsonPatchLimits& limits_;
  int64_t copied_ = 0;
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
