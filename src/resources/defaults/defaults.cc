#include "resources/defaults/defaults.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/quantity.h"

namespace resources {
namespace {

using schema::Field;
using schema::FieldKind;
using schema::Shape;
using schema::Type;

constexpr int kDeepest = 100;  // types with defaults do not nest in themselves; JSON schemas do, and hold none

Value ReadDefault(std::string_view json, Arena& arena) {
  if (json == "true" || json == "false") return Value::Bool(json == "true");
  if (json == "{}") return Value::Object(arena);
  if (json == "[]") return Value::Array(arena);
  if (json.starts_with('"')) return Value::String(json.substr(1, json.size() - 2));
  int64_t number = 0;
  std::from_chars(json.data(), json.data() + json.size(), number);
  return Value::Int(number);
}

// True for a default of the published schema that decoding does not give anyway: zero values only count for pointers.
bool CountsAsDefault(const Field& field) {
  if (field.default_json.empty() || field.shape != Shape::kSingle) return false;
  if (field.pointer) return true;
  return field.default_json != "\"\"" && field.default_json != "0" && field.default_json != "false" && field.default_json != "{}";
}

// Maps of amounts are rounded in the types of the core group; others keep what they were given.
bool HoldsRounded(const Type& type, const Field& field) {
  return field.kind == FieldKind::kQuantity && field.shape == Shape::kMap && type.name.starts_with("io.k8s.api.core.");
}

// Which types have defaults, and which can hold one that has.
class Index {
 public:
  Index() {
    for (auto table : {CoreDefaults(), WorkloadDefaults(), PlatformDefaults()}) {
      for (const TypeDefaults& entry : table) {
        if (const Type* type = schema::FindType(entry.type)) own_[type] = &entry;
      }
    }
    for (const Type& type : schema::AllTypes()) {
      if (own_.contains(&type) || HasOwn(type)) reaching_.insert(&type);
    }
    for (bool grown = true; grown;) {
      grown = false;
      for (const Type& type : schema::AllTypes()) {
        if (reaching_.contains(&type)) continue;
        if (std::ranges::any_of(type.fields, [&](const Field& f) { return f.ref && reaching_.contains(f.ref); })) {
          grown = reaching_.insert(&type).second;
        }
      }
    }
  }

  const TypeDefaults* Own(const Type& type) const {
    auto found = own_.find(&type);
    return found == own_.end() ? nullptr : found->second;
  }
  bool Reaches(const Type* type) const { return type && reaching_.contains(type); }

 private:
  static bool HasOwn(const Type& type) {
    return std::ranges::any_of(type.fields,
                               [&](const Field& f) { return CountsAsDefault(f) || HoldsRounded(type, f); });
  }

  absl::flat_hash_map<const Type*, const TypeDefaults*> own_;
  absl::flat_hash_set<const Type*> reaching_;
};

// Amounts in a map of resources are kept to a thousandth, rounded up.
void RoundAmounts(const Value& amounts, Arena& arena) {
  for (value::Member& amount : amounts.members()) {
    if (!amount.value.is_string()) continue;
    std::string_view text = amount.value.AsString();
    if (text.find_first_of("un") == text.npos) continue;  // only micro and nano units are finer
    auto quantity = api::Quantity::Parse(text);
    if (quantity && !quantity->RoundUp(-3)) amount.value = Value::Copy(arena, quantity->text());
  }
}

class Walker {
 public:
  Walker(const Index& index, Arena& arena, const api::Features& features)
      : index_(index), arena_(arena), features_(features) {}

  void Object(const Type& type, const Value& object, int depth) {
    if (!object.is_object() || depth == kDeepest) return;
    if (const TypeDefaults* own = index_.Own(type)) {
      for (const FieldDefault& entry : own->fields) {
        if (!object.Find(entry.field)) object.Add(arena_, entry.field, ReadDefault(entry.json, arena_));
      }
      if (own->more) own->more(object, arena_);
      if (own->gated) own->gated(object, arena_, features_);
    }
    for (const Field* field : type.members) Member(type, *field, object, depth);
  }

 private:
  void Member(const Type& type, const Field& field, const Value& object, int depth) {
    bool amounts = HoldsRounded(type, field);
    bool declared = CountsAsDefault(field);
    bool below = field.kind == FieldKind::kRef && index_.Reaches(field.ref);
    if (!amounts && !declared && !below) return;
    const Value* found = object.Find(field.name);
    if (!found) {
      if (declared) object.Add(arena_, field.name, ReadDefault(field.default_json, arena_));
      if (below && field.shape == Shape::kSingle && !field.pointer) Implied(field, object, depth);
      return;
    }
    if (amounts) return RoundAmounts(*found, arena_);
    if (!below) return;
    if (field.shape == Shape::kSingle) return Object(*field.ref, *found, depth + 1);
    for (const Value& item : found->items()) Object(*field.ref, item, depth + 1);
    for (const value::Member& entry : found->members()) Object(*field.ref, entry.value, depth + 1);
  }

  // A struct that is no pointer is there even if nobody wrote it, and has its defaults.
  void Implied(const Field& field, const Value& object, int depth) {
    Value implied = Value::Object(arena_);
    Object(*field.ref, implied, depth + 1);
    if (!implied.empty()) object.Add(arena_, field.name, implied);
  }

  const Index& index_;
  Arena& arena_;
  const api::Features& features_;
};

}  // namespace

void SetDefaults(const Type& type, const Value& object, Arena& arena, const api::Features& features) {
  static const Index index;
  if (index.Reaches(&type)) Walker(index, arena, features).Object(type, object, 0);
}

}  // namespace resources
