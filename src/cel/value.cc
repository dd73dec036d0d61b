#include "cel/value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "api/quantity.h"
#include "cel/declaration.h"
#include "cel/library/call.h"
#include "cel/library/numbers.h"
#include "cel/library/times.h"
#include "value/base64_url.h"

namespace cel {

Value Value::Bool(bool b) {
  Value v;
  v.kind_ = ValueKind::kBool;
  v.bool_ = b;
  return v;
}
Value Value::Int(int64_t i) {
  Value v;
  v.kind_ = ValueKind::kInt;
  v.int_ = i;
  return v;
}
Value Value::Uint(uint64_t u) {
  Value v;
  v.kind_ = ValueKind::kUint;
  v.uint_ = u;
  return v;
}
Value Value::Double(double d) {
  Value v;
  v.kind_ = ValueKind::kDouble;
  v.double_ = d;
  return v;
}
Value Value::String(std::string_view s) {
  Value v;
  v.kind_ = ValueKind::kString;
  v.text_ = s.data();
  v.size_ = static_cast<uint32_t>(s.size());
  return v;
}
Value Value::Bytes(std::string_view s) {
  Value v = String(s);
  v.kind_ = ValueKind::kBytes;
  return v;
}
Value Value::Duration(int64_t nanoseconds) {
  Value v = Int(nanoseconds);
  v.kind_ = ValueKind::kDuration;
  return v;
}
Value Value::Timestamp(int64_t seconds, uint32_t nanoseconds, int16_t offset_minutes) {
  Value v = Int(seconds);
  v.kind_ = ValueKind::kTimestamp;
  v.size_ = nanoseconds;
  v.extra_ = static_cast<uint16_t>(offset_minutes);
  return v;
}
Value Value::TypeNamed(std::string_view name) {
  Value v = String(name);
  v.kind_ = ValueKind::kType;
  return v;
}
Value Value::List(std::span<const Value> items, const Declaration* declaration) {
  Value v;
  v.kind_ = ValueKind::kList;
  v.form_ = Form::kItems;
  v.items_ = items.data();
  v.size_ = static_cast<uint32_t>(items.size());
  v.about_ = declaration;
  return v;
}
Value Value::Concat(const ConcatList* list, uint32_t size) {
  Value v;
  v.kind_ = ValueKind::kList;
  v.form_ = Form::kConcat;
  v.concat_ = list;
  v.size_ = size;
  return v;
}
Value Value::Map(const EntryMap* map) {
  Value v;
  v.kind_ = ValueKind::kMap;
  v.form_ = Form::kEntries;
  v.entries_ = map;
  v.size_ = map->size;
  return v;
}
Value Value::Lazy(LazyFields* fields) {
  Value v;
  v.kind_ = ValueKind::kMap;
  v.form_ = Form::kLazy;
  v.lazy_ = fields;
  return v;
}
Value Value::Struct(const EntryMap* fields, const Declaration* declaration) {
  Value v = Map(fields);
  v.kind_ = ValueKind::kStruct;
  v.form_ = Form::kFields;
  v.about_ = declaration;
  return v;
}
Value Value::None() {
  Value v;
  v.kind_ = ValueKind::kOptional;
  v.optional_ = nullptr;
  return v;
}
Value Value::OptionalOf(value::Arena& arena, const Value& of) {
  Value v;
  v.kind_ = ValueKind::kOptional;
  v.optional_ = new (arena.Allocate(sizeof(Value), alignof(Value))) Value(of);
  return v;
}
Value Value::Opaque(OpaqueKind kind, const void* object) {
  Value v;
  v.kind_ = ValueKind::kOpaque;
  v.extra_ = static_cast<uint16_t>(kind);
  v.object_ = object;
  return v;
}
Value Value::Error(std::string_view message) {
  Value v = String(message);
  v.kind_ = ValueKind::kError;
  return v;
}
Value Value::Error(value::Arena& arena, std::string_view message) { return Error(arena.CopyString(message)); }

std::string_view Value::struct_name() const {
  const Declaration* of = declaration();
  return of != nullptr ? std::string_view(of->name) : std::string_view("object");
}

namespace {

// What a string with a declared format means.
Value ReadText(std::string_view text, const Declaration& declaration) {
  switch (declaration.reading) {
    case Reading::kDuration: {
      int64_t nanoseconds = 0;
      if (!library::ReadFormattedDuration(text, nanoseconds)) return Value::Error("Invalid duration");
      return Value::Duration(nanoseconds);
    }
    case Reading::kTimestamp:
    case Reading::kDate: {
      library::Instant instant;
      bool read = declaration.reading == Reading::kDate ? library::ParseDate(text, instant)
                                                        : library::ReadFormattedDateTime(text, instant);
      if (!read)
        return Value::Error(declaration.reading == Reading::kDate ? "Invalid date formatted string"
                                                                  : "Invalid date-time formatted string");
      return Value::Timestamp(instant.seconds, instant.nanoseconds, instant.offset_minutes);
    }
    case Reading::kBytes:
      return Value::Error("Invalid byte formatted string");
    default:
      return Value::String(text);
  }
}

Value WrongKind(Reading reading) {
  switch (reading) {
    case Reading::kObject:
    case Reading::kMap:
      return Value::Error("invalid data, expected a map for the provided schema with type=object");
    case Reading::kList:
      return Value::Error("invalid data, expected an array for the provided schema with type=array");
    case Reading::kInt:
      return Value::Error("invalid data, expected int");
    case Reading::kDouble:
      return Value::Error("invalid data, expected float");
    case Reading::kBool:
      return Value::Error("invalid data, expected bool");
    case Reading::kIntOrString:
      return Value::Error("invalid data, expected XIntOrString value to be either a string or integer");
    default:
      return Value::Error("invalid data, expected string");
  }
}

bool Suits(const value::Value& document, Reading reading) {
  switch (reading) {
    case Reading::kPlain:
    case Reading::kUnknown:
      return true;
    case Reading::kInt:
      return document.is_int();
    case Reading::kDouble:
      return document.is_number();
    case Reading::kBool:
      return document.is_bool();
    case Reading::kIntOrString:
      return document.is_int() || document.is_string();
    case Reading::kObject:
    case Reading::kMap:
      return document.is_object();
    case Reading::kList:
      return document.is_array();
    case Reading::kBytes:
      return document.is_string() || document.kind() == value::Kind::kBytes;
    default:
      return document.is_string();
  }
}

}  // namespace

Value Value::Document(const value::Value& document, const Declaration* declaration) {
  if (declaration != nullptr) {
    if (document.is_null() && declaration->strict && !declaration->nullable)
      return Error("invalid data, got null for schema with nullable=false");
    if (!document.is_null() && declaration->strict && !Suits(document, declaration->reading))
      return WrongKind(declaration->reading);
  }
  switch (document.kind()) {
    case value::Kind::kNull:
      return {};
    case value::Kind::kBool:
      return Bool(document.AsBool());
    case value::Kind::kInt:
      return declaration != nullptr && declaration->reading == Reading::kDouble
                 ? Double(static_cast<double>(document.AsInt()))
                 : Int(document.AsInt());
    case value::Kind::kDouble:
      return Double(document.AsDouble());
    case value::Kind::kString:
      return declaration == nullptr ? String(document.AsString()) : ReadText(document.AsString(), *declaration);
    case value::Kind::kBytes:
      return Bytes(document.AsString());
    case value::Kind::kArray:
    case value::Kind::kObject:
      break;
  }
  Value v;
  v.kind_ = document.is_array() ? ValueKind::kList : ValueKind::kMap;
  v.form_ = Form::kDocument;
  v.document_ = &document;
  v.size_ = document.size();
  v.about_ = declaration;
  return v;
}

Value Value::At(uint32_t index) const {
  switch (form_) {
    case Form::kItems:
      return items_[index];
    case Form::kDocument:
      return Document((*document_)[index], declaration() != nullptr ? declaration()->element : nullptr);
    case Form::kConcat: {
      const Value* list = this;
      while (list->form_ == Form::kConcat) {
        uint32_t left = list->concat_->left.size_;
        const ConcatList* concat = list->concat_;
        list = index < left ? &concat->left : &concat->right;
        if (index >= left) index -= left;
      }
      return list->At(index);
    }
    default:
      return {};
  }
}

std::string_view TypeName(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return "null_type";
    case ValueKind::kBool:
      return "bool";
    case ValueKind::kInt:
      return "int";
    case ValueKind::kUint:
      return "uint";
    case ValueKind::kDouble:
      return "double";
    case ValueKind::kString:
      return "string";
    case ValueKind::kBytes:
      return "bytes";
    case ValueKind::kList:
      return "list";
    case ValueKind::kMap:
      return "map";
    case ValueKind::kStruct:
      return value.struct_name();
    case ValueKind::kDuration:
      return "google.protobuf.Duration";
    case ValueKind::kTimestamp:
      return "google.protobuf.Timestamp";
    case ValueKind::kType:
      return "type";
    case ValueKind::kOptional:
      return "optional_type";
    case ValueKind::kError:
      return "error";
    case ValueKind::kOpaque:
      break;
  }
  switch (value.opaque_kind()) {
    case OpaqueKind::kQuantity:
      return "kubernetes.Quantity";
    case OpaqueKind::kIp:
      return "net.IP";
    case OpaqueKind::kCidr:
      return "net.CIDR";
    case OpaqueKind::kUrl:
      return "kubernetes.URL";
    case OpaqueKind::kFormat:
      return "kubernetes.NamedFormat";
    case OpaqueKind::kSemver:
      return "kubernetes.Semver";
    case OpaqueKind::kAuthorizer:
      return "kubernetes.authorization.Authorizer";
    case OpaqueKind::kPathCheck:
      return "kubernetes.authorization.PathCheck";
    case OpaqueKind::kGroupCheck:
      return "kubernetes.authorization.GroupCheck";
    case OpaqueKind::kResourceCheck:
      return "kubernetes.authorization.ResourceCheck";
    case OpaqueKind::kDecision:
      return "kubernetes.authorization.Decision";
  }
  return "dyn";
}

int64_t CodePoints(std::string_view text) {
  int64_t count = 0;
  for (char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

bool SizeOf(const Value& value, int64_t& size) {
  switch (value.kind()) {
    case ValueKind::kString:
      size = CodePoints(value.text());
      return true;
    case ValueKind::kBytes:
      size = static_cast<int64_t>(value.text().size());
      return true;
    case ValueKind::kList:
    case ValueKind::kMap:
      size = value.size();
      return true;
    case ValueKind::kOpaque:
      size = library::SizeOfOpaque(value);
      return true;
    default:
      return false;
  }
}

namespace {

uint64_t Mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93U;
  x ^= x >> 32;
  return x;
}

bool SameKey(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ValueKind::kBool:
      return a.AsBool() == b.AsBool();
    case ValueKind::kInt:
      return a.AsInt() == b.AsInt();
    case ValueKind::kUint:
      return a.AsUint() == b.AsUint();
    case ValueKind::kDouble:
      return a.AsDouble() == b.AsDouble();
    case ValueKind::kString:
      return a.text() == b.text();
    default: {
      Steps steps{1 << 16};
      return Equal(a, b, steps);
    }
  }
}

const Value* FindExact(const EntryMap& map, const Value& key) {
  if (map.slots == nullptr) {
    for (uint32_t i = 0; i < map.size; ++i) {
      if (SameKey(map.entries[i].key, key)) return &map.entries[i].value;
    }
    return nullptr;
  }
  uint32_t mask = map.slot_count - 1;
  for (auto at = static_cast<uint32_t>(HashKey(key)) & mask; map.slots[at] != 0; at = (at + 1) & mask) {
    const MapEntry& entry = map.entries[map.slots[at] - 1];
    if (SameKey(entry.key, key)) return &entry.value;
  }
  return nullptr;
}

void BuildSlots(value::Arena& arena, EntryMap& map) {
  map.slot_count = std::bit_ceil(map.capacity * 2);
  map.slots = arena.AllocateArray<uint32_t>(map.slot_count);
  std::fill_n(map.slots, map.slot_count, 0);
  uint32_t mask = map.slot_count - 1;
  for (uint32_t i = 0; i < map.size; ++i) {
    auto at = static_cast<uint32_t>(HashKey(map.entries[i].key)) & mask;
    while (map.slots[at] != 0) at = (at + 1) & mask;
    map.slots[at] = i + 1;
  }
}

constexpr uint32_t kSmallMap = 8;

}  // namespace

uint64_t HashKey(const Value& key) {
  switch (key.kind()) {
    case ValueKind::kBool:
      return key.AsBool() ? 1 : 2;
    case ValueKind::kInt:
      return Mix(static_cast<uint64_t>(key.AsInt()));
    case ValueKind::kUint:
      return Mix(key.AsUint() + 7);
    case ValueKind::kDouble:
      return Mix(std::bit_cast<uint64_t>(key.AsDouble() == 0 ? 0.0 : key.AsDouble()));
    case ValueKind::kString:
    case ValueKind::kBytes:
      return Mix(std::hash<std::string_view>()(key.text()));
    default:
      return static_cast<uint64_t>(key.kind());
  }
}

const Value* EntryMap::Find(const Value& key) const {
  if (const Value* found = FindExact(*this, key)) return found;
  switch (key.kind()) {
    case ValueKind::kDouble: {
      double d = key.AsDouble();
      if (auto i = library::ToInt(d); i && static_cast<double>(*i) == d) {
        if (const Value* found = FindExact(*this, Value::Int(*i))) return found;
      }
      if (auto u = library::ToUint(d); u && static_cast<double>(*u) == d) return FindExact(*this, Value::Uint(*u));
      return nullptr;
    }
    case ValueKind::kInt:
      return key.AsInt() >= 0 ? FindExact(*this, Value::Uint(static_cast<uint64_t>(key.AsInt()))) : nullptr;
    case ValueKind::kUint:
      return key.AsUint() <= INT64_MAX ? FindExact(*this, Value::Int(static_cast<int64_t>(key.AsUint()))) : nullptr;
    default:
      return nullptr;
  }
}

void EntryMap::Set(value::Arena& arena, const Value& key, const Value& item) {
  if (const Value* found = FindExact(*this, key)) {
    *const_cast<Value*>(found) = item;  // the entries are this map's own
    return;
  }
  if (size == capacity) {
    capacity = std::max<uint32_t>(4, capacity * 2);
    auto* grown = arena.AllocateArray<MapEntry>(capacity);
    std::copy_n(entries, size, grown);
    entries = grown;
    slots = nullptr;
  }
  entries[size++] = {key, item};
  if (size <= kSmallMap) return;
  if (slots == nullptr) {
    BuildSlots(arena, *this);
    return;
  }
  uint32_t mask = slot_count - 1;
  auto at = static_cast<uint32_t>(HashKey(key)) & mask;
  while (slots[at] != 0) at = (at + 1) & mask;
  slots[at] = size;
}

void EntryMap::Remove(const Value& key) {
  for (uint32_t i = 0; i < size; ++i) {
    if (!SameKey(entries[i].key, key)) continue;
    std::copy(entries + i + 1, entries + size, entries + i);
    --size;
    slots = nullptr;
    return;
  }
}

bool FindField(const Value& map, std::string_view name, Value& result) {
  switch (map.form()) {
    case Value::Form::kDocument: {
      const Declaration* declaration = map.declaration();
      if (declaration == nullptr || declaration->reading != Reading::kObject) {
        const value::Value* found = map.document().Find(name);
        if (found == nullptr) return false;
        result = Value::Document(*found, declaration != nullptr ? declaration->element : nullptr);
        return true;
      }
      const DeclaredField* field = declaration->Field(name);
      if (field == nullptr) field = declaration->FieldOfKey(name);  // a reserved word as it stands
      if (field == nullptr) return false;
      const value::Value* found = map.document().Find(field->key);
      if (found == nullptr || found->is_null()) return false;
      result = Value::Document(*found, field->declaration);
      return true;
    }
    case Value::Form::kEntries:
    case Value::Form::kFields: {
      const Value* found = map.entries().Find(Value::String(name));
      if (found != nullptr) result = *found;
      return found != nullptr;
    }
    case Value::Form::kLazy:
      return map.lazy().Get(name, result);
    default:
      return false;
  }
}

bool FindInMap(const Value& map, const Value& key, Value& result) {
  if (key.is(ValueKind::kString)) return FindField(map, key.text(), result);
  if (map.form() == Value::Form::kEntries) {
    const Value* found = map.entries().Find(key);
    if (found != nullptr) result = *found;
    return found != nullptr;
  }
  if (map.form() == Value::Form::kDocument && map.declaration() != nullptr && map.declaration()->strict) {
    result = Value::Error("no such overload");
    return true;
  }
  return false;
}

const value::Value* FindInMapList(const value::Value& list, std::span<const std::string> keys,
                                  const value::Value& like) {
  if (keys.empty() || !like.is_object()) return nullptr;
  auto scalar = [](const value::Value* v) {
    return v != nullptr && (v->is_bool() || v->is_number() || v->is_string());
  };
  for (const std::string& key : keys) {
    if (!scalar(like.Find(key))) return nullptr;
  }
  for (const value::Value& item : list.items()) {
    bool same = std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
      const value::Value* found = item.Find(key);
      return scalar(found) && value::Equal(*found, *like.Find(key));
    });
    if (same) return &item;
  }
  return nullptr;
}

MapWalk::MapWalk(const Value& map) : map_(map) {}

bool MapWalk::Next(Value& key, Value& item) {
  if (map_.form() == Value::Form::kEntries || map_.form() == Value::Form::kFields) {
    if (at_ >= map_.entries().size) return false;
    const MapEntry& entry = map_.entries().entries[at_++];
    key = entry.key;
    item = entry.value;
    return true;
  }
  if (map_.form() != Value::Form::kDocument) return false;
  auto members = map_.document().members();
  const Declaration* declaration = map_.declaration();
  while (at_ < members.size()) {
    const value::Member& member = members[at_++];
    if (declaration == nullptr || declaration->reading != Reading::kObject) {
      key = Value::String(member.key);
      item = Value::Document(member.value, declaration != nullptr ? declaration->element : nullptr);
      return true;
    }
    const DeclaredField* field = declaration->FieldOfKey(member.key);
    if (field == nullptr) continue;
    key = Value::String(field->name);
    item = Value::Document(member.value, field->declaration);
    return true;
  }
  return false;
}

namespace {

int CompareNumbers(const Value& a, const Value& b) {
  auto with = [&](auto left) {
    switch (b.kind()) {
      case ValueKind::kInt:
        return library::Compare(left, b.AsInt());
      case ValueKind::kUint:
        return library::Compare(left, b.AsUint());
      default:
        return library::Compare(left, b.AsDouble());
    }
  };
  switch (a.kind()) {
    case ValueKind::kInt:
      return with(a.AsInt());
    case ValueKind::kUint:
      return with(a.AsUint());
    default:
      return with(a.AsDouble());
  }
}

bool IsNumber(const Value& v) { return v.is(ValueKind::kInt) || v.is(ValueKind::kUint) || v.is(ValueKind::kDouble); }
bool IsNan(const Value& v) { return v.is(ValueKind::kDouble) && std::isnan(v.AsDouble()); }

bool Spend(Steps& steps) {
  if (steps.left == 0) return false;
  --steps.left;
  return true;
}

// What an item is known by in a list that is a map: its values of the declared keys.
bool SameListKey(const Value& a, const Value& b, const std::vector<std::string>& keys, Steps& steps) {
  for (const std::string& key : keys) {
    Value left, right;
    bool in_left = FindField(a, key, left);
    bool in_right = FindField(b, key, right);
    if (in_left != in_right || (in_left && !Equal(left, right, steps))) return false;
  }
  return true;
}

bool EqualUnordered(const Value& a, const Value& b, const Declaration& declaration, Steps& steps) {
  bool by_key = declaration.list == ListSemantics::kMap;
  for (uint32_t i = 0; i < b.size(); ++i) {
    Value wanted = b.At(i);
    bool found = false;
    for (uint32_t j = a.size(); j > 0 && !found; --j) {  // of equal keys the last one counts
      if (!Spend(steps)) return false;
      Value item = a.At(j - 1);
      if (by_key ? !SameListKey(item, wanted, declaration.list_map_keys, steps) : !Equal(item, wanted, steps)) continue;
      if (by_key && !Equal(item, wanted, steps)) return false;
      found = true;
    }
    if (!found) return false;
  }
  return true;
}

bool EqualLists(const Value& a, const Value& b, Steps& steps) {
  if (a.size() != b.size()) return false;
  if (const Declaration* declaration = a.declaration();
      declaration != nullptr && declaration->list != ListSemantics::kAtomic) {
    return EqualUnordered(a, b, *declaration, steps);
  }
  for (uint32_t i = 0; i < a.size(); ++i) {
    if (!Spend(steps) || !Equal(a.At(i), b.At(i), steps)) return false;
  }
  return true;
}

bool EqualMaps(const Value& a, const Value& b, Steps& steps) {
  if (a.form() == Value::Form::kLazy || b.form() == Value::Form::kLazy)
    return a.form() == b.form() && &a.lazy() == &b.lazy();
  if (a.size() != b.size()) return false;
  MapWalk walk(a), beside(b);
  // Mostly the keys are the same in the same order, and none is looked for. Of fields that are null a walk tells more.
  bool in_step = b.declaration() == nullptr || b.declaration()->reading != Reading::kObject;
  Value key, item;
  while (walk.Next(key, item)) {
    if (!Spend(steps)) return false;
    Value other_key, other;
    in_step = in_step && beside.Next(other_key, other) && key.is(ValueKind::kString) &&
              other_key.is(ValueKind::kString) && key.text() == other_key.text();
    if (!in_step && !FindInMap(b, key, other)) {
      if (item.is(ValueKind::kNull) && a.declaration() != nullptr && a.declaration()->reading == Reading::kObject)
        continue;
      return false;
    }
    if (!Equal(item, other, steps)) return false;
  }
  return true;
}

}  // namespace

bool Equal(const Value& a, const Value& b, Steps& steps) {
  if (IsNumber(a)) {
    if (!IsNumber(b) || IsNan(a) || IsNan(b)) return false;
    return CompareNumbers(a, b) == 0;
  }
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ValueKind::kNull:
      return true;
    case ValueKind::kBool:
      return a.AsBool() == b.AsBool();
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kType:
      return a.text() == b.text();
    case ValueKind::kDuration:
      return a.nanoseconds() == b.nanoseconds();
    case ValueKind::kTimestamp:
      return a.seconds() == b.seconds() && a.subsecond() == b.subsecond();
    case ValueKind::kList:
      return EqualLists(a, b, steps);
    case ValueKind::kMap:
      return EqualMaps(a, b, steps);
    case ValueKind::kStruct:
      return a.struct_name() == b.struct_name() && EqualMaps(a, b, steps);
    case ValueKind::kOptional:
      if (a.optional() == nullptr || b.optional() == nullptr) return a.optional() == b.optional();
      return Equal(*a.optional(), *b.optional(), steps);
    case ValueKind::kOpaque:
      return a.opaque_kind() == b.opaque_kind() && library::EqualOpaque(a, b);
    default:
      return false;
  }
}

bool Compare(const Value& a, const Value& b, int& order, std::string_view& error) {
  error = "no such overload";
  if (IsNumber(a)) {
    if (IsNan(a) || (IsNumber(b) && IsNan(b))) {
      error = library::kNanIsUnordered;
      return false;
    }
    if (!IsNumber(b)) return false;
    order = CompareNumbers(a, b);
    return true;
  }
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ValueKind::kBool:
      order = static_cast<int>(a.AsBool()) - static_cast<int>(b.AsBool());
      return true;
    case ValueKind::kString:
    case ValueKind::kBytes: {
      int compared = a.text().compare(b.text());
      order = compared < 0 ? -1 : compared > 0 ? 1 : 0;
      return true;
    }
    case ValueKind::kDuration:
      order = library::Compare(a.nanoseconds(), b.nanoseconds());
      return true;
    case ValueKind::kTimestamp:
      order =
          library::Compare(library::Instant{a.seconds(), a.subsecond()}, library::Instant{b.seconds(), b.subsecond()});
      return true;
    default:
      return false;
  }
}

}  // namespace cel
