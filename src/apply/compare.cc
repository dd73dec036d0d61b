#include "apply/compare.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apply/go_equal.h"
#include "apply/members_in_order.h"
#include "apply/nil_versus_empty.h"
#include "schema/members.h"
#include "value/identical.h"

namespace apply {
namespace {

using schema::Field;
using value::Member;

// What was found at one path, and below it.
struct Found {
  bool added = false, modified = false, removed = false;  // the path itself
  const FieldSet* added_below = nullptr;
  const FieldSet* modified_below = nullptr;
  const FieldSet* removed_below = nullptr;
};

// The nodes of one level while it is walked.
class Level {
 public:
  // `count`: about as many nodes come.
  Level(Arena& arena, size_t count) : arena_(arena), count_(count) {}

  void Put(const PathElement& element, const Found& found) {
    if (found.added || found.added_below) Add(added_, {element, found.added, found.added_below});
    if (found.modified || found.modified_below) Add(modified_, {element, found.modified, found.modified_below});
    if (found.removed || found.removed_below) Add(removed_, {element, found.removed, found.removed_below});
  }

  void Close(Found& found) {
    found.added_below = MakeSet(arena_, std::span(added_.at, added_.size));
    found.modified_below = MakeSet(arena_, std::span(modified_.at, modified_.size));
    found.removed_below = MakeSet(arena_, std::span(removed_.at, removed_.size));
  }

 private:
  struct Nodes {
    PathNode* at = nullptr;  // in the arena
    size_t size = 0, capacity = 0;
  };

  void Add(Nodes& nodes, const PathNode& node) {
    if (nodes.size == nodes.capacity) {
      nodes.capacity = std::max(count_, nodes.capacity * 2);
      PathNode* larger = arena_.AllocateArray<PathNode>(nodes.capacity);
      std::uninitialized_copy_n(nodes.at, nodes.size, larger);
      nodes.at = larger;
    }
    new (&nodes.at[nodes.size++]) PathNode(node);
  }

  Arena& arena_;
  const size_t count_;
  Nodes added_, modified_, removed_;
};

// Deeper than this a document is owned whole: only schemaless data gets there, and the recursion stays bounded.
constexpr int kDeepest = 500;

// Items of a list by what identifies them; those of one identity keep their order.
template <class Item>
void SortByElement(std::vector<Item>& items) {
  const auto before = [](const Item& a, const Item& b) { return Compare(a.element, b.element) < 0; };
  if (!std::ranges::is_sorted(items, before)) std::ranges::stable_sort(items, before);
}

bool IsCanonical(Reading reading) { return reading == Reading::kCanonical || reading == Reading::kConverted; }

size_t CountOf(const Value* left, const Value* right) {
  return std::max(left ? left->size() : size_t{0}, right ? right->size() : size_t{0}) + 2;
}

bool Empty(const Value* v) { return !v || v->is_null() || v->empty(); }

class Comparer {
 public:
  Comparer(Arena& arena, Reading reading) : arena_(arena), reading_(reading) {}

  Found At(const Slot& slot, const Value* left, const Value* right) {
    if (depth_ == kDeepest) return Leaf(left, right);
    ++depth_;
    Found found = Descend(slot, left, right);
    --depth_;
    return found;
  }

  const std::optional<base::Error>& error() const { return error_; }

 private:
  struct Item {
    PathElement element;
    const Value* value;
  };

  Found Descend(const Slot& slot, const Value* left, const Value* right) {
    if (IsCanonical(reading_) && left && right && value::Identical(*left, *right)) {
      // Nothing differs but amounts, perhaps; not to be told apart is an error all the same.
      if (!CheckItems(slot, *left, depth_)) return {};
    }
    if (BecomesAnother(slot, left, right)) return Replaced(slot, *left, *right);
    const Value& sample = left && !left->is_null() ? *left : right ? *right : *left;
    Form form = FormOf(slot, sample);
    if (left && right && form == Form::kMap) form = BothMaps(*left, *right) ? form : Form::kLeaf;
    Found found;
    bool container = form == Form::kObject || form == Form::kMap || form == Form::kKeyed || form == Form::kSet;
    if (!container || (Empty(left) && Empty(right) && !HasImplied(slot, form, left, right))) {
      Found leaf = Leaf(left, right);
      if (left && right && reading_ != Reading::kDocument)
        leaf.modified = IsModified(slot, *left, *right, leaf.modified);
      return leaf;
    }
    if (form == Form::kObject) {
      Object(*slot.type, left, right, found);
    } else if (form == Form::kMap) {
      Map(slot, left, right, found);
    } else {
      List(slot, form, left, right, found);
    }
    found.added = !left;
    found.removed = !right;
    return found;
  }

  // Where values say themselves what they are: whether one that is a map stands beside one that is none.
  static bool BecomesAnother(const Slot& slot, const Value* left, const Value* right) {
    const bool says_itself =
        slot.deduced || (slot.structural != nullptr && slot.structural->type == schema::JsonType::kAny);
    if (!says_itself || !left || !right || left->is_null() || right->is_null()) return false;
    return left->is_object() != right->is_object();
  }
  // It is another one, and the members of the map came or went.
  Found Replaced(const Slot& slot, const Value& left, const Value& right) {
    Found found;
    const Value& map = left.is_object() ? left : right;
    if (!map.empty() && FormOf(slot, map) == Form::kMap) {
      Map(slot, left.is_object() ? &left : nullptr, right.is_object() ? &right : nullptr, found);
    }
    found.modified = true;
    return found;
  }

  // Holds the items of all lists at and below a place to be identified, as a walk over it does. True where two that
  // look the same differ: in a list that is owned whole.
  bool CheckItems(const Slot& slot, const Value& v, int depth) {
    if (depth == kDeepest || error_ || v.empty()) return false;
    const Form form = FormOf(slot, v);
    if (form == Form::kLeaf) return reading_ == Reading::kCanonical && v.is_array() && HoldsAmountWithoutText(slot, v);
    bool differs = false;
    if (form == Form::kObject) {
      for (const Member& member : v.members()) {
        if (member.value.empty()) continue;  // a scalar, mostly
        const Field* field = slot.type->Member(member.key);
        if (field && CheckItems(SlotOf(*field), member.value, depth + 1)) differs = true;
      }
      return differs;
    }
    for (const Member& member : v.members()) {
      Slot below;
      if (SlotOfMember(slot, form, member.key, below)) differs |= CheckItems(below, member.value, depth + 1);
    }
    if (reading_ == Reading::kConverted && v.is_array()) HoldDistinct(Items(slot, form, &v));
    for (const Value& item : v.items()) {
      if (base::Result<PathElement> element = ElementFor(arena_, slot, form, item); !element) {
        if (!error_) error_ = element.error();
        return differs;
      }
      differs |= CheckItems(ElementOf(slot), item, depth + 1);
    }
    return differs;
  }

  // Nothing repeated goes over to another version.
  void HoldDistinct(std::span<const Item> items) {
    const auto same = [](const Item& a, const Item& b) { return Compare(a.element, b.element) == 0; };
    if (!error_ && std::ranges::adjacent_find(items, same) != items.end()) {
      error_ = {base::Code::kInvalid, "duplicate entries for key"};
    }
  }

  static bool BothMaps(const Value& left, const Value& right) {
    return (left.is_object() || left.is_null()) && (right.is_object() || right.is_null());
  }

  // An object that is written empty may still have members that Go's struct writes.
  bool HasImplied(const Slot& slot, Form form, const Value* left, const Value* right) {
    if (form != Form::kObject || reading_ == Reading::kDocument) return false;
    if ((!left || left->is_null()) && (!right || right->is_null())) return false;
    return WritesWhenZero(arena_, *slot.type);
  }

  static Found Leaf(const Value* left, const Value* right) {
    Found found;
    found.added = !left;
    found.removed = !right;
    found.modified = left && right && !value::Equal(*left, *right);
    return found;
  }

  // `modified` is what the trees alone say.
  bool IsModified(const Slot& slot, const Value& left, const Value& right, bool modified) {
    if (slot.structural != nullptr) return modified;
    const bool lists = left.is_array() && right.is_array();
    if (reading_ == Reading::kCanonical && lists) return !GoEqual(arena_, slot, left, right);
    if (reading_ == Reading::kConverted && lists) return !GoEqualConverted(arena_, slot, left, right);
    const bool from_configuration = reading_ == Reading::kMerged && !left.SameAs(right);
    if (modified || (from_configuration && (lists || left.is_object()))) return !Alike(slot, left, right);
    return false;
  }

  // Whether two values that are owned whole are the same, though the tree of an object leaves out what Go's struct
  // writes. What a configuration brought leaves out nothing: it is as it is written.
  bool Alike(const Slot& slot, const Value& left, const Value& right) {
    if (left.is_array() && right.is_array()) {
      if (reading_ == Reading::kCanonical) return GoEqual(arena_, slot, left, right);
      return std::ranges::equal(left.items(), right.items(),
                                [&](const Value& l, const Value& r) { return Alike(ElementOf(slot), l, r); });
    }
    const bool objects = left.is_object() && right.is_object() && !slot.deduced && slot.type;
    const bool one = slot.element || !slot.field || slot.field->shape == schema::Shape::kSingle;
    if (!objects || !one || slot.type->special != schema::Special::kNone) return value::Equal(left, right);
    return AlikeFields(*slot.type, left, right);
  }

  bool AlikeFields(const schema::Type& type, const Value& left, const Value& right) {
    return std::ranges::all_of(type.fields, [&](const Field& field) {
      if (field.is_inline) return !field.ref || AlikeFields(*field.ref, left, right);
      MembersInOrder lefts(left), rights(right);
      Value implied_left, implied_right;
      const Value* l = Present(field, &left, lefts.Find(field.name), implied_left);
      const Value* r = rights.Find(field.name);
      if (reading_ != Reading::kMerged) r = Present(field, &right, r, implied_right);
      return l && r ? Alike(SlotOf(field), *l, *r) : l == r;
    });
  }

  void Object(const schema::Type& type, const Value* left, const Value* right, Found& found) {
    Level level(arena_, CountOf(left, right));
    const size_t count = type.members.size(), base = places_.size();
    places_.resize(base + 2 * count);
    if (left) schema::PlaceMembers(type, *left, places_.data() + base);
    if (right) schema::PlaceMembers(type, *right, places_.data() + base + count);
    const bool is_brought = reading_ == Reading::kMerged && (!left || left->is_null());
    for (size_t i = 0; i < count; ++i) {
      const Field& field = *type.members[i];
      Value implied_left, implied_right;
      const Value* l = Present(field, left, places_[base + i], implied_left);
      const Value* r = places_[base + count + i];
      if (!is_brought) r = Present(field, right, r, implied_right);
      if (l || r) level.Put(PathElement::Field(field.name), At(SlotOf(field), l, r));
    }
    places_.resize(base);
    level.Close(found);
  }

  // What stands for the field of `object`, which has `found` there.
  const Value* Present(const Field& field, const Value* object, const Value* found, Value& implied) {
    if (!object || object->is_null()) return nullptr;
    if (found && !(IsCanonical(reading_) && IsHidden(field, *found))) return found;
    if (reading_ != Reading::kDocument && ImpliedValue(arena_, field, implied)) return &implied;
    return nullptr;
  }

  static std::vector<const Member*> Sorted(const Value* map) {
    std::vector<const Member*> members;
    if (!map) return members;
    for (const Member& member : map->members()) members.push_back(&member);
    std::ranges::sort(members, {}, &Member::key);
    return members;
  }

  void Map(const Slot& slot, const Value* left, const Value* right, Found& found) {
    Level level(arena_, CountOf(left, right));
    std::vector<const Member*> lefts = Sorted(left), rights = Sorted(right);
    size_t i = 0, j = 0;
    while (i < lefts.size() || j < rights.size()) {
      int order = i == lefts.size() ? 1 : j == rights.size() ? -1 : lefts[i]->key.compare(rights[j]->key);
      const Member* l = order <= 0 ? lefts[i++] : nullptr;
      const Member* r = order >= 0 ? rights[j++] : nullptr;
      const std::string_view key = (l ? l : r)->key;
      Slot below;
      if (!SlotOfMember(slot, Form::kMap, key, below)) below = {.deduced = true};
      level.Put(PathElement::Field(key), At(below, l ? &l->value : nullptr, r ? &r->value : nullptr));
    }
    level.Close(found);
  }

  std::vector<Item> Items(const Slot& slot, Form form, const Value* list) {
    std::vector<Item> items;
    if (!list) return items;
    items.reserve(list->size());
    for (const Value& item : list->items()) {
      base::Result<PathElement> element = ElementFor(arena_, slot, form, item);
      if (!element) {
        if (!error_) error_ = element.error();
        continue;
      }
      items.push_back({*element, &item});
    }
    SortByElement(items);
    return items;
  }

  // How many items from `at` on have the same element.
  static size_t Run(const std::vector<Item>& items, size_t at) {
    size_t end = at;
    while (end < items.size() && Compare(items[end].element, items[at].element) == 0) ++end;
    return end - at;
  }

  void List(const Slot& slot, Form form, const Value* left, const Value* right, Found& found) {
    Level level(arena_, CountOf(left, right));
    Slot element = ElementOf(slot);
    std::vector<Item> lefts = Items(slot, form, left), rights = Items(slot, form, right);
    size_t i = 0, j = 0;
    while (i < lefts.size() || j < rights.size()) {
      int order = i == lefts.size() ? 1 : j == rights.size() ? -1 : Compare(lefts[i].element, rights[j].element);
      size_t l = order <= 0 ? Run(lefts, i) : 0;
      size_t r = order >= 0 ? Run(rights, j) : 0;
      const PathElement& at = l ? lefts[i].element : rights[j].element;
      level.Put(at, Duplicates(element, {lefts.data() + i, l}, {rights.data() + j, r}));
      i += l;
      j += r;
    }
    level.Close(found);
  }

  // The items of one identity on both sides; a duplicated one is owned as a whole.
  Found Duplicates(const Slot& element, std::span<const Item> lefts, std::span<const Item> rights) {
    if (lefts.size() <= 1 && rights.size() <= 1) {
      return At(element, lefts.empty() ? nullptr : lefts[0].value, rights.empty() ? nullptr : rights[0].value);
    }
    if (reading_ == Reading::kConverted) HoldDistinct(lefts.size() > 1 ? lefts : rights);
    Found found;
    if (lefts.size() >= 2 && rights.size() >= 2) {
      found.modified = !std::ranges::equal(
          lefts, rights, [](const Item& a, const Item& b) { return value::Equal(*a.value, *b.value); });
    } else if (lefts.size() >= 2) {
      if (!rights.empty()) found = At(element, nullptr, rights[0].value);
      found.removed = true;
    } else {
      if (!lefts.empty()) found = At(element, lefts[0].value, nullptr);
      found.added = true;
    }
    return found;
  }

  Arena& arena_;
  Reading reading_;
  int depth_ = 0;
  std::vector<const Value*> places_;  // a stack: of each object being compared the values of its type's members
  std::optional<base::Error> error_;
};

// Collects the paths of one tree: like a comparison with nothing, but maps' and lists' own paths count only where they
// have no field of that name.
class Collector {
 public:
  Collector(Arena& arena, Reading reading) : arena_(arena), reading_(reading) {}

  PathNode At(const PathElement& element, const Slot& slot, const Value& v) {
    PathNode node{element, false, nullptr};
    Form form = depth_ == kDeepest ? Form::kLeaf : FormOf(slot, v);
    std::vector<PathNode> below;
    ++depth_;
    if (form == Form::kLeaf) {
      node.member = true;
    } else if (form == Form::kObject) {
      Fields(*slot.type, v, below);
    } else if (form == Form::kMap) {
      for (const Member& member : v.members()) {
        Slot of_member;
        bool named = false;
        if (!SlotOfMember(slot, form, member.key, of_member, &named)) of_member = {.deduced = true};
        below.push_back(At(PathElement::Field(member.key), of_member, member.value));
        below.back().member |= !named;
      }
    } else {
      List(slot, form, v, below);
    }
    --depth_;
    if (v.is_null() || (v.is_object() && v.empty())) node.member = true;
    node.children = MakeSet(arena_, below);
    return node;
  }

  const std::optional<base::Error>& error() const { return error_; }

 private:
  void Fields(const schema::Type& type, const Value& object, std::vector<PathNode>& below) {
    for (const Field& field : type.fields) {
      if (field.is_inline) {
        if (field.ref) Fields(*field.ref, object, below);
        continue;
      }
      Value implied;
      const Value* found = object.Find(field.name);
      if (found && IsCanonical(reading_) && IsHidden(field, *found)) found = nullptr;
      if (!found && reading_ != Reading::kDocument && ImpliedValue(arena_, field, implied)) found = &implied;
      if (found) below.push_back(At(PathElement::Field(field.name), SlotOf(field), *found));
    }
  }

  void List(const Slot& slot, Form form, const Value& list, std::vector<PathNode>& below) {
    struct Item {
      PathElement element;
      const Value* value;
    };
    std::vector<Item> items;
    for (const Value& item : list.items()) {
      base::Result<PathElement> element = ElementFor(arena_, slot, form, item);
      if (!element) {
        if (!error_) error_ = element.error();
        continue;
      }
      items.push_back({*element, &item});
    }
    SortByElement(items);
    for (size_t i = 0; i < items.size();) {
      size_t end = i + 1;
      while (end < items.size() && Compare(items[end].element, items[i].element) == 0) ++end;
      PathNode node{items[i].element, true, nullptr};
      if (end == i + 1) node.children = At(items[i].element, ElementOf(slot), *items[i].value).children;
      below.push_back(node);
      i = end;
    }
  }

  Arena& arena_;
  Reading reading_;
  int depth_ = 0;
  std::optional<base::Error> error_;
};

}  // namespace

base::Result<Comparison> Compare(Arena& arena, const schema::Type& type, const Value& left, const Value& right,
                                 Reading reading) {
  Comparer comparer(arena, reading);
  Found found = comparer.At(Slot::Object(type), &left, &right);
  if (comparer.error()) return std::unexpected(*comparer.error());
  return Comparison{found.added_below, found.modified_below, found.removed_below};
}

base::Result<const FieldSet*> ToFieldSet(Arena& arena, const schema::Type& type, const Value& object, Reading reading) {
  Collector collector(arena, reading);
  PathNode root = collector.At({}, Slot::Object(type), object);
  if (collector.error()) return std::unexpected(*collector.error());
  return root.children;
}

}  // namespace apply
