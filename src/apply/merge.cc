#include "apply/merge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"

namespace apply {
namespace {

using schema::Field;
using value::Member;

// Below this a document is one leaf, as in compare.cc.
constexpr int kDeepest = 500;

struct ByElement {
  bool operator()(const PathElement& a, const PathElement& b) const { return Compare(a, b) < 0; }
};

bool Empty(const Value* v) { return !v || v->is_null() || v->empty(); }

class Merger {
 public:
  explicit Merger(Arena& arena) : arena_(arena) {}

  bool reordered() const { return reordered_; }

  // The merged value; nullopt where nothing is left to write.
  std::optional<Value> At(const Slot& slot, const Value* left, const Value* right) {
    const Value& sample = right && !right->is_null() ? *right : left ? *left : *right;
    Form form = depth_ == kDeepest ? Form::kLeaf : FormOf(slot, sample);
    bool mismatch =
        form == Form::kMap && left && right && !left->is_null() && !right->is_null() && left->kind() != right->kind();
    if (form == Form::kLeaf || mismatch || (Empty(left) && Empty(right))) return right ? *right : *left;
    ++depth_;
    std::optional<Value> merged =
        form == Form::kObject || form == Form::kMap ? Object(slot, form, left, right) : List(slot, form, left, right);
    --depth_;
    return merged;
  }

 private:
  std::optional<Value> Object(const Slot& slot, Form form, const Value* left, const Value* right) {
    Value merged = Value::Object(arena_, (left ? left->size() : 0) + (right ? right->size() : 0));
    auto put = [&](std::string_view key, const Value* l, const Value* r) {
      Slot member;
      if (!SlotOfMember(slot, form, key, member)) member = {.deduced = true};
      if (!l && r && Empty(r) && form == Form::kObject && IsThere(*slot.type, key)) return;
      if (std::optional<Value> value = At(member, l, r)) merged.Add(arena_, key, *value);
    };
    absl::btree_map<std::string_view, const Value*> rights;
    if (right) {
      for (const Member& member : right->members()) rights.insert_or_assign(member.key, &member.value);
    }
    if (left) {
      for (const Member& member : left->members()) {
        auto found = rights.find(member.key);
        put(member.key, &member.value, found == rights.end() ? nullptr : found->second);
        if (found != rights.end()) rights.erase(found);
      }
    }
    if (right) {
      for (const Member& member : right->members()) {
        if (rights.erase(member.key)) put(member.key, nullptr, &member.value);
      }
    }
    if (merged.empty()) return std::nullopt;
    return merged;
  }

  // Whether Go's struct has an object in that field though the tree has none: then what is empty changes nothing.
  bool IsThere(const schema::Type& type, std::string_view key) {
    const Field* field = FindField(type, key);
    Value implied;
    return field && field->ref && ImpliedValue(arena_, *field, implied) && implied.is_object() &&
           WritesWhenZero(arena_, *field->ref);
  }

  // A list's elements in order; of duplicates the value is null, as they are owned as one and not merged.
  struct Side {
    std::vector<PathElement> elements;
    std::vector<const Value*> items;
    absl::btree_map<PathElement, const Value*, ByElement> by_element;
    const Value* Find(const PathElement& element) const {
      auto found = by_element.find(element);
      return found == by_element.end() ? nullptr : found->second;
    }
    bool Has(const PathElement& element) const { return by_element.contains(element); }
  };

  Side Index(const Slot& slot, Form form, const Value* list) {
    Side side;
    if (!list) return side;
    for (const Value& item : list->items()) {
      base::Result<PathElement> element = ElementFor(arena_, slot, form, item);
      if (!element) continue;
      auto [at, fresh] = side.by_element.try_emplace(*element, &item);
      if (!fresh) at->second = nullptr;
      side.elements.push_back(*element);
      side.items.push_back(&item);
    }
    return side;
  }

  // Interleaves the live list and the configured one: what both have keeps the configured order, what only one has
  // stays beside its neighbours.
  std::optional<Value> List(const Slot& slot, Form form, const Value* left, const Value* right) {
    Side live = Index(slot, form, left), config = Index(slot, form, right);
    Slot element = ElementOf(slot);
    Value merged = Value::Array(arena_, static_cast<uint32_t>(live.items.size() + config.items.size()));
    const Value* latest = nullptr;  // of live's items, the last one that was put
    auto put = [&](const Value* l, const Value* r) {
      if (!l && !r) return;
      if (l) reordered_ |= l < latest;
      if (l) latest = l;
      if (std::optional<Value> value = At(element, l, r)) merged.Append(arena_, *value);
    };
    std::vector<const PathElement*> shared;
    for (const PathElement& e : config.elements) {
      if (live.Has(e)) shared.push_back(&e);
    }
    size_t next_shared = 0;
    auto expected = [&] { return next_shared < shared.size() ? shared[next_shared] : nullptr; };
    absl::btree_map<PathElement, bool, ByElement> done;
    for (size_t l = 0, r = 0; l < live.elements.size() || r < config.elements.size();) {
      if (l < live.elements.size() && r < config.elements.size()) {
        const PathElement& here = live.elements[l];
        if (Compare(here, config.elements[r]) == 0) {
          done[here] = true;
          put(live.Find(here), config.Find(here));
          ++l, ++r, ++next_shared;
          continue;
        }
        if (config.Has(here) && expected() && Compare(*expected(), here) != 0) {
          ++l;  // shared, but its turn in the configured order has not come
          continue;
        }
      }
      if (l < live.elements.size()) {
        const PathElement& here = live.elements[l];
        if (!config.Has(here)) {
          put(live.items[l], nullptr);
          ++l;
          continue;
        }
        if (done.contains(here)) ++l;
      }
      if (r < config.elements.size()) {
        const PathElement& here = config.elements[r];
        done[here] = true;
        put(live.Find(here), config.Find(here));
        if (expected() && Compare(*expected(), here) == 0) ++next_shared;
        ++r;
      }
    }
    if (merged.empty()) return std::nullopt;
    return merged;
  }

  Arena& arena_;
  int depth_ = 0;
  bool reordered_ = false;
};

class Remover {
 public:
  explicit Remover(Arena& arena) : arena_(arena) {}

  Value At(const Slot& slot, const Value& v, const FieldSet* paths) {
    Form form = depth_ == kDeepest ? Form::kLeaf : FormOf(slot, v);
    if (form == Form::kLeaf) return v.is_array() || v.is_object() ? Value() : v;
    if (v.empty()) return {};
    ++depth_;
    Value kept =
        form == Form::kObject || form == Form::kMap ? Object(slot, form, v, paths) : List(slot, form, v, paths);
    --depth_;
    return kept.empty() ? Value() : kept;
  }

 private:
  Value Object(const Slot& slot, Form form, const Value& object, const FieldSet* paths) {
    Value kept = Value::Object(arena_, object.size());
    for (const Member& member : object.members()) {
      const PathNode* node = FindNode(paths, PathElement::Field(member.key));
      if (node && node->member) continue;
      Slot below;
      if (!SlotOfMember(slot, form, member.key, below)) below = {.deduced = true};
      kept.Add(arena_, member.key, node && node->children ? At(below, member.value, node->children) : member.value);
    }
    return kept;
  }

  Value List(const Slot& slot, Form form, const Value& list, const FieldSet* paths) {
    Value kept = Value::Array(arena_, list.size());
    for (const Value& item : list.items()) {
      base::Result<PathElement> element = ElementFor(arena_, slot, form, item);
      const PathNode* node = element ? FindNode(paths, *element) : nullptr;
      if (node && node->member) continue;
      kept.Append(arena_, node && node->children ? At(ElementOf(slot), item, node->children) : item);
    }
    return kept;
  }

  Arena& arena_;
  int depth_ = 0;
};

const FieldSet* NamedParents(Arena& arena, const Slot& slot, const FieldSet* paths) {
  if (!paths) return nullptr;
  std::vector<PathNode> nodes(paths->nodes.begin(), paths->nodes.end());
  for (PathNode& node : nodes) {
    if (!node.children) continue;
    Form form =
        FormOf(slot, node.element.kind == PathElement::Kind::kField ? Value::Object(arena) : Value::Array(arena));
    Slot below = {.deduced = true};
    if (node.element.kind != PathElement::Kind::kField) {
      below = ElementOf(slot);
    } else if (form == Form::kObject || form == Form::kMap) {
      bool named = false;
      if (!SlotOfMember(slot, form, node.element.field, below, &named)) below = {.deduced = true};
      node.member |= named;
    }
    node.children = NamedParents(arena, below, node.children);
  }
  return MakeSet(arena, nodes);
}

}  // namespace

Merged Merge(Arena& arena, const schema::Type& type, const Value& live, const Value& config) {
  Merger merger(arena);
  std::optional<Value> merged = merger.At(Slot::Object(type), &live, &config);
  return {merged.value_or(Value::Object(arena)), merger.reordered()};
}

Value RemovePaths(Arena& arena, const schema::Type& type, const Value& object, const FieldSet* paths) {
  if (!paths) return object;
  Value kept = Remover(arena).At(Slot::Object(type), object, paths);
  return kept.is_null() ? Value::Object(arena) : kept;
}

const FieldSet* WithNamedParents(Arena& arena, const schema::Type& type, const FieldSet* paths) {
  return NamedParents(arena, Slot::Object(type), paths);
}

}  // namespace apply
