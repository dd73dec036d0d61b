#include "apply/strategic_merge.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/quote.h"
#include "apply/go_print.h"
#include "apply/typed.h"
#include "value/json_writer.h"

namespace apply {
namespace {

using base::Code;
using base::Fail;
using schema::Field;
using schema::Shape;
using value::Arena;
using value::Kind;
using value::Member;
using value::Value;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteItems = "$deleteFromPrimitiveList";
constexpr std::string_view kOrder = "$setElementOrder";

// How a member is merged: the markers of its field, and the type of what is in it.
struct Markers {
  const Field* field = nullptr;
  const schema::Type* type = nullptr;  // of the object, of a list's items, of a map's values; null for scalars
  bool merge = false;
  bool replace = false;
  std::string_view merge_key;
};

// Where the merge stands: an object of a type, or a map, whose members have no markers. What nobody reads is a struct
// there that has none of the members.
struct Place {
  const schema::Type* type = nullptr;
  bool is_map = false;
  bool is_raw = false;
};

// A scalar as a key that tells values of different kinds apart.
std::string KeyOf(const Value& v) {
  return std::string(1, static_cast<char>('0' + static_cast<int>(v.kind()))) + value::ToJson(v);
}

// The last of equal keys only, as Go's maps have it; the object itself where there are none.
Value Unique(Arena& arena, const Value& object) {
  Value unique = Value::Object(arena, object.size());
  absl::flat_hash_map<std::string_view, uint32_t> at;
  for (const Member& member : object.members()) {
    auto [found, fresh] = at.try_emplace(member.key, unique.size());
    if (fresh) {
      unique.Add(arena, member.key, member.value);
    } else {
      unique.members()[found->second].value = member.value;
    }
  }
  return unique.size() == object.size() ? object : unique;
}

base::Result<> BadType(std::string_view wanted, const Value& got) {
  const std::string_view name = got.is_null() ? "%!s(<nil>)" : GoTypeName(got);
  return Fail(Code::kInternal, "expected a " + std::string(wanted) + ", but received a " + std::string(name));
}

base::Error NoMergeKey(const Value& item, std::string_view key) {
  return {Code::kInternal, "map: " + GoValue(item) + " does not contain declared merge key: " + std::string(key)};
}

base::Error BadDirective(const Value& directive, const Value& item) {
  return {Code::kInternal, "unknown patch type: " + GoText(directive) + " in map: " + GoValue(item)};
}

class StrategicMerger {
 public:
  explicit StrategicMerger(Arena& arena) : arena_(arena) {}

  base::Result<Value> Object(const Place& place, const Value& original, const Value& patch_object) {
    if (auto spent = Spend(original.size() + patch_object.size()); !spent) return std::unexpected(spent.error());
    Value patch = Unique(arena_, patch_object);
    if (const Value* directive = patch.Find(kDirective)) return Directive(*directive, patch);
    Value merged = Value::Object(arena_, original.size() + patch.size());
    for (const Member& member : original.members()) merged.Add(arena_, member.key, member.value);
    if (base::Result<> kept = RetainKeys(merged, patch); !kept) return std::unexpected(kept.error());
    if (base::Result<> ordered = OrderedLists(place, merged, patch); !ordered) return std::unexpected(ordered.error());
    Lookup members(merged);
    for (const Member& change : patch.members()) {
      if (base::Result<> done = MergeMember(place, merged, members, change); !done)
        return std::unexpected(done.error());
    }
    RemoveMarked(merged);
    return merged;
  }

 private:
  // What a patch names again and again is merged again and again, each time as a whole.
  base::Result<> Spend(size_t parts) {
    constexpr size_t kMostParts = 4 << 20;  // members and items of both sides; no document has so many
    parts_ += parts;
    if (parts_ <= kMostParts) return {};
    return Fail(Code::kExhausted, "the patch merges too many members and items");
  }

  // Members by key, kept while members are added: objects may have a hundred thousand.
  class Lookup {
   public:
    explicit Lookup(const Value& object) : object_(object) {}
    Value* Find(std::string_view key) {
      const std::optional<uint32_t> index = IndexOf(key);
      return index ? &object_.members()[*index].value : nullptr;
    }
    void Set(Arena& arena, std::string_view key, const Value& v) {
      if (Value* found = Find(key)) {
        *found = v;
        return;
      }
      if (indexed_) at_[key] = object_.size();
      object_.Add(arena, key, v);
    }
    // Marks a member for removal at the end.
    void Remove(std::string_view key) {
      const std::optional<uint32_t> index = IndexOf(key);
      if (!index) return;
      object_.members()[*index].key = kRemoved;
      at_.erase(key);
    }

   private:
    static constexpr uint32_t kFew = 32;  // are looked through one by one

    std::optional<uint32_t> IndexOf(std::string_view key) {
      const std::span<Member> members = object_.members();
      if (members.size() <= kFew) {
        const auto found = std::ranges::find(members, key, &Member::key);
        return found == members.end() ? std::nullopt : std::optional(static_cast<uint32_t>(found - members.begin()));
      }
      if (!std::exchange(indexed_, true)) {
        for (uint32_t i = 0; i < members.size(); ++i) at_[members[i].key] = i;
      }
      const auto found = at_.find(key);
      return found == at_.end() ? std::nullopt : std::optional(found->second);
    }

    const Value& object_;
    bool indexed_ = false;
    absl::flat_hash_map<std::string_view, uint32_t> at_;
  };

  static constexpr std::string_view kRemoved = "$removed";  // no field has a '$'

  static void RemoveMarked(const Value& object) { object.Remove(kRemoved); }

  base::Result<Value> Directive(const Value& directive, const Value& patch) {
    std::string_view name = directive.is_string() ? directive.AsString() : "";
    if (name == "replace") {
      patch.Remove(kDirective);
      return patch;
    }
    if (name == "delete") {
      return Value::Object(arena_);
    }
    return std::unexpected(BadDirective(directive, patch));
  }

  base::Result<Markers> MarkersOf(const Place& place, std::string_view key) {
    if (place.is_map)
      return Fail(Code::kInternal, "merging an object in json but data type is not struct, instead is: map");
    const Field* field = place.type ? FindField(*place.type, key) : nullptr;
    if (!field) {
      std::string_view name = place.type ? place.type->go_name : place.is_raw ? "RawExtension" : "";
      if (size_t dot = name.rfind('.'); dot != name.npos) name.remove_prefix(dot + 1);
      return Fail(Code::kInternal,
                  "unable to find api field in struct " + std::string(name) + " for the json field " + api::Quote(key));
    }
    Markers markers;
    markers.field = field;
    markers.type = field->kind == schema::FieldKind::kRef ? field->ref : nullptr;
    markers.merge = field->patch_merge;
    markers.replace = field->patch_replace;
    markers.merge_key = field->patch_merge_key;
    return markers;
  }

  // Drops what $retainKeys does not name; everything the patch sets must be named.
  base::Result<> RetainKeys(const Value& merged, const Value& patch) {
    const Value* directive = patch.Find(kRetainKeys);
    if (!directive) return {};
    Value list = *directive;
    patch.Remove(kRetainKeys);
    if (!list.is_array()) return Fail(Code::kInvalid, "invalid patch format of retainKeys");
    absl::flat_hash_map<std::string_view, bool> kept;
    for (const Value& key : list.items()) {
      if (key.is_string()) kept[key.AsString()] = true;
    }
    for (const Member& member : patch.members()) {
      bool special = member.key.starts_with(kDeleteItems) || member.key.starts_with(kOrder);
      if (!member.value.is_null() && !special && !kept.contains(member.key)) {
        return Fail(Code::kInvalid, "invalid patch format of retainKeys");
      }
    }
    for (Member& member : merged.members()) {
      if (!kept.contains(member.key)) member.key = kRemoved;
    }
    RemoveMarked(merged);
    return {};
  }

  // Lists whose order the patch gives: merged and ordered here, and taken out of the patch.
  base::Result<> OrderedLists(const Place& place, const Value& merged, const Value& patch) {
    std::vector<Member> orders;
    for (const Member& member : patch.members()) {
      if (member.key.starts_with(kOrder)) orders.push_back(member);
    }
    for (const Member& order : orders) {
      patch.Remove(order.key);
      if (base::Result<> done = OrderedList(place, merged, patch, order); !done) return done;
    }
    return {};
  }

  base::Result<> OrderedList(const Place& place, const Value& merged, const Value& patch, const Member& order) {
    if (!order.value.is_array()) return BadType("[]interface {}", order.value);
    if (order.key.size() <= kOrder.size() || order.key[kOrder.size()] != '/') {
      return Fail(Code::kInvalid, "invalid patch format of setElementOrder list");
    }
    std::string_view key = order.key.substr(kOrder.size() + 1);
    const Value* live = merged.Find(key);
    const Value* change = patch.Find(key);
    if (live && !live->is_array()) return BadType("[]interface {}", *live);
    if (change && !change->is_array()) return BadType("[]interface {}", *change);
    base::Result<Markers> markers = MarkersOf(place, key);
    if (!markers) return std::unexpected(markers.error());
    if (base::Result<> fits = FitsOrder(change ? *change : Value(), order.value, markers->merge_key); !fits)
      return fits;
    if (!live && !change) return {};
    Value list;
    if (!change) {
      list = *live;
    } else if (!live) {
      list = WithoutDirectives(*change);
    } else {
      base::Result<Value> both = List(*markers, *live, *change, false);
      if (!both) return std::unexpected(both.error());
      list = *both;
    }
    base::Result<Value> sorted = Arrange(list, order.value, live ? *live : Value(), markers->merge_key);
    if (!sorted) return std::unexpected(sorted.error());
    merged.Set(arena_, key, *sorted);
    patch.Remove(key);
    return {};
  }

  // The items of the patch must stand in the order list, in the same order; those to delete do not count.
  base::Result<> FitsOrder(const Value& change, const Value& order, std::string_view merge_key) {
    if (change.empty() || order.empty()) return {};
    uint32_t next = 0;
    for (const Value& item : change.items()) {
      if (item.is_object() && item.GetString(kDirective) == "delete") continue;
      bool found = false;
      base::Result<std::string> wanted = std::string();
      if (next < order.size()) wanted = ItemKey(item, merge_key);
      if (!wanted) return std::unexpected(wanted.error());
      while (next < order.size() && !found) {
        base::Result<std::string> here = ItemKey(order[next++], merge_key);
        if (!here) return std::unexpected(here.error());
        found = *here == *wanted;
      }
      if (!found) {
        return Fail(Code::kInternal, "The order in patch list:\n" + GoValue(change) +
                                         "\n doesn't match $setElementOrder list:\n" + GoValue(order) + "\n");
      }
    }
    return {};
  }

  // What identifies an item: itself, or its merge key.
  static base::Result<std::string> ItemKey(const Value& item, std::string_view merge_key) {
    if (merge_key.empty()) return KeyOf(item);
    if (!item.is_object())
      return Fail(Code::kInternal, "expected a map[string]interface {}, but received a " +
                                       std::string(item.is_null() ? "%!s(<nil>)" : GoTypeName(item)));
    const Value* key = item.Find(merge_key);
    if (!key) return std::unexpected(NoMergeKey(item, merge_key));
    return KeyOf(*key);
  }

  base::Result<> MergeMember(const Place& place, const Value& merged, Lookup& members, const Member& change) {
    std::string_view key = change.key;
    bool deletes_items = key.starts_with(kDeleteItems);
    if (deletes_items) {
      if (key.size() <= kDeleteItems.size() || key[kDeleteItems.size()] != '/') {
        return Fail(Code::kInvalid, "invalid patch format of primitive list");
      }
      key.remove_prefix(kDeleteItems.size() + 1);
    }
    if (change.value.is_null()) {
      members.Remove(key);
      return {};
    }
    Value* current = members.Find(key);
    bool same_kind = current && SameGoType(*current, change.value);
    if (!same_kind) {
      if (!deletes_items) Take(members, key, change.value);
      return {};
    }
    if (!change.value.is_object() && !change.value.is_array()) {
      *current = change.value;
      return {};
    }
    base::Result<Markers> markers = MarkersOf(place, key);
    if (!markers) return std::unexpected(markers.error());
    base::Result<Value> both = Value();
    if (change.value.is_array()) {
      both = List(*markers, *current, change.value, deletes_items);
    } else if (markers->replace) {
      both = change.value;
    } else {
      const bool is_map = markers->field->shape == Shape::kMap;
      const bool is_raw = !is_map && markers->field->kind == schema::FieldKind::kRawExtension;
      const Place below{.type = markers->type, .is_map = is_map || (!is_raw && !markers->type), .is_raw = is_raw};
      both = Object(below, *current, change.value);
    }
    if (!both) return std::unexpected(both.error());
    *members.Find(key) = *both;
    return {};
  }

  static bool SameGoType(const Value& a, const Value& b) { return a.kind() == b.kind(); }

  // A value of the patch that meets nothing: without nulls and without what carries directives, which leave the patch
  // as well.
  void Take(Lookup& members, std::string_view key, const Value& v) {
    DropNulls(v);  // a directive that is null is gone as well
    if (v.is_object() && v.Find(kDirective)) {
      members.Remove(key);
    } else {
      members.Set(arena_, key, value::DeepCopy(arena_, WithoutDirectives(v)));
    }
  }

  // In place: members that are null, and all but the last of one key.
  void DropNulls(const Value& v) {
    for (const Value& item : v.items()) DropNulls(item);
    if (!v.is_object()) return;
    uint32_t kept = 0;
    for (const Member& member : Unique(arena_, v).members()) {
      if (member.value.is_null()) continue;
      DropNulls(member.value);
      v.members()[kept++] = member;
    }
    v.Truncate(kept);
  }

  // Objects lose them in place, a list has a new one in its place.
  Value WithoutDirectives(const Value& v) {
    auto dropped = [](const Value& item) { return item.is_object() && item.Find(kDirective); };
    if (v.is_array()) {
      Value kept = Value::Array(arena_, v.size());
      for (const Value& item : v.items()) {
        if (!dropped(item)) kept.Append(arena_, WithoutDirectives(item));
      }
      return kept;
    }
    if (!v.is_object()) return v;
    uint32_t kept = 0;
    for (const Member& member : v.members()) {
      if (!dropped(member.value)) v.members()[kept++] = {member.key, WithoutDirectives(member.value)};
    }
    v.Truncate(kept);
    return v;
  }

  base::Result<Value> List(const Markers& markers, const Value& original, const Value& change, bool deletes_items) {
    if (!markers.merge && !deletes_items) return change;
    if (auto spent = Spend(original.size() + change.size()); !spent) return std::unexpected(spent.error());
    if (original.empty() && change.empty()) return original;
    if (base::Result<> same = SameItemKinds(original, change); !same) return std::unexpected(same.error());
    const Value& sample = original.empty() ? change[0] : original[0];
    if (!sample.is_object()) return Scalars(original, change, deletes_items);
    if (markers.merge_key.empty()) return Fail(Code::kInternal, "cannot merge lists without merge key for struct");
    return Objects(markers, original, change);
  }

  base::Result<> SameItemKinds(const Value& original, const Value& change) {
    const Value* first = nullptr;
    for (const Value& list : {original, change}) {
      for (const Value& item : list.items()) {
        if (!first) first = &item;
        if (first->is_array()) return Fail(Code::kInternal, "lists of lists are not supported");
        if (!SameGoType(*first, item)) {
          return Fail(Code::kInternal,
                      "list element types are not identical: [" + GoValue(original) + " " + GoValue(change) + "]");
        }
      }
    }
    return {};
  }

  base::Result<Value> Scalars(const Value& original, const Value& change, bool deletes_items) {
    absl::flat_hash_map<std::string, bool> named;
    Value merged = Value::Array(arena_, original.size() + change.size());
    if (deletes_items) {
      for (const Value& item : change.items()) named[KeyOf(item)] = true;
      for (const Value& item : original.items()) {
        if (!named.contains(KeyOf(item))) merged.Append(arena_, item);
      }
      return merged;
    }
    for (const Value& list : {original, change}) {
      for (const Value& item : list.items()) {
        if (named.try_emplace(KeyOf(item), true).second) merged.Append(arena_, item);
      }
    }
    return Arrange(merged, change, original, {});
  }

  base::Result<Value> Objects(const Markers& markers, const Value& original, const Value& change) {
    std::string_view merge_key = markers.merge_key;
    absl::flat_hash_map<std::string, bool> deleted;
    bool replace = false;
    Value plain = Value::Array(arena_, change.size());
    for (const Value& item : change.items()) {
      const Value* directive = item.Find(kDirective);
      if (!directive) {
        plain.Append(arena_, item);
        continue;
      }
      std::string_view name = directive->is_string() ? directive->AsString() : "";
      if (name == "delete") {
        const Value* key = item.Find(merge_key);
        if (!key) return std::unexpected(NoMergeKey(item, merge_key));
        deleted[KeyOf(*key)] = true;
      } else if (name == "replace") {
        replace = true;
      } else if (name == "merge") {
        return Fail(Code::kInternal, "merging lists cannot yet be specified in the patch");
      } else {
        return std::unexpected(BadDirective(*directive, item));
      }
    }
    if (replace) {
      for (const Value& item : plain.items()) {
        if (auto key = ItemKey(item, merge_key); !key) return std::unexpected(key.error());
      }
      return plain;
    }
    Value live = Value::Array(arena_, original.size());
    Value merged = Value::Array(arena_, original.size() + plain.size());
    absl::flat_hash_map<std::string, uint32_t> at;
    for (const Value& item : original.items()) {
      const Value* key = item.Find(merge_key);
      if (key && deleted.contains(KeyOf(*key))) continue;
      if (key) at.try_emplace(KeyOf(*key), merged.size());
      live.Append(arena_, item);
      merged.Append(arena_, item);
    }
    for (const Value& item : plain.items()) {
      base::Result<std::string> key = ItemKey(item, merge_key);
      if (!key) return std::unexpected(key.error());
      auto [found, fresh] = at.try_emplace(*key, merged.size());
      if (fresh) {
        merged.Append(arena_, item);
        continue;
      }
      base::Result<Value> both = Object({.type = markers.type}, merged[found->second], item);
      if (!both) return both;
      merged[found->second] = *both;
    }
    return Arrange(merged, plain, live, merge_key);
  }

  // Each item of a list by key is looked for in the order from its front: what is no object there must not be come to.
  base::Result<> FoundBeforeScalars(const Value& list, const Value& order, std::string_view merge_key) {
    if (merge_key.empty()) return {};
    absl::flat_hash_set<std::string> before;
    uint32_t scalar = 0;
    for (; scalar < order.size() && order[scalar].is_object(); ++scalar) {
    }
    if (scalar == order.size()) return {};
    for (uint32_t i = 0; i < scalar; ++i) {
      if (const Value* key = order[i].Find(merge_key)) before.insert(KeyOf(*key));
    }
    for (const Value& item : list.items()) {
      base::Result<std::string> key = ItemKey(item, merge_key);
      if (!key) return std::unexpected(key.error());
      if (!before.contains(*key))
        return Fail(Code::kInternal, "value for key " + std::to_string(scalar) + " is not a map");
    }
    return {};
  }

  // The items of `list` in the order the patch wants (`order`); those it does not name stay where the live list had
  // them, as far as both orders allow.
  base::Result<Value> Arrange(const Value& list, const Value& order, const Value& live, std::string_view merge_key) {
    if (auto found = FoundBeforeScalars(list, order, merge_key); !found) return std::unexpected(found.error());
    absl::flat_hash_map<std::string, size_t> wanted, standing;
    for (auto [source, places] : {std::pair(&order, &wanted), std::pair(&live, &standing)}) {
      for (uint32_t i = 0; i < source->size(); ++i) {
        base::Result<std::string> key = ItemKey((*source)[i], merge_key);
        if (!key) return std::unexpected(key.error());
        places->try_emplace(*key, i);
      }
    }
    struct Item {
      Value value;
      size_t place;            // in its own order
      const size_t* standing;  // in the live list, if there
    };
    std::vector<Item> named, others;
    for (const Value& item : list.items()) {
      base::Result<std::string> key = ItemKey(item, merge_key);
      if (!key) return std::unexpected(key.error());
      auto in_order = wanted.find(*key);
      auto in_live = standing.find(*key);
      const size_t* live_place = in_live == standing.end() ? nullptr : &in_live->second;
      if (in_order != wanted.end()) {
        named.push_back({item, in_order->second, live_place});
      } else {
        others.push_back({item, live_place ? *live_place : 0, live_place});
      }
    }
    std::ranges::stable_sort(named, {}, &Item::place);
    std::ranges::stable_sort(others, {}, &Item::place);
    Value arranged = Value::Array(arena_, list.size());
    size_t i = 0, j = 0;
    while (i < others.size() || j < named.size()) {
      bool other_first = j == named.size() || (i < others.size() && others[i].standing && named[j].standing &&
                                               *others[i].standing < *named[j].standing);
      arranged.Append(arena_, other_first ? others[i++].value : named[j++].value);
    }
    return arranged;
  }

  Arena& arena_;
  size_t parts_ = 0;
};

}  // namespace

base::Result<Value> ApplyStrategicMerge(Arena& arena, const schema::Type& type, const Value& document,
                                        const Value& patch) {
  return StrategicMerger(arena).Object({.type = &type}, document, patch);
}

}  // namespace apply
