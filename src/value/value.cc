#include "value/value.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

#include "absl/container/flat_hash_map.h"
#include "value/number.h"

namespace value {

namespace {

// Objects of up to this many members are searched one by one; larger ones through a table, or by halves.
constexpr uint32_t kSmallObject = 16;

// No key stands twice.
bool Rises(std::span<const Member> members) {
  return std::ranges::adjacent_find(members, std::ranges::greater_equal(), &Member::key) == members.end();
}

}  // namespace

struct Value::List {
  uint32_t size;
  uint32_t capacity : 31;
  // Many members, made whole with rising keys, and none added since: they are searched by halves. Whoever writes to
  // members() keeps their order.
  uint32_t sorted : 1;
  union {
    Value* items;
    Member* members;
  };
  std::string_view source;
};

struct Value::Decimal {
  double number;
  const char* literal;
};

Value Value::Bool(bool b) {
  Value v;
  v.kind_ = Kind::kBool;
  v.bool_ = b;
  return v;
}

Value Value::Int(int64_t i) {
  Value v;
  v.kind_ = Kind::kInt;
  v.int_ = i;
  return v;
}

Value Value::Number(Arena& arena, std::string_view literal) {
  Value v;
  v.kind_ = Kind::kDouble;
  v.size_ = static_cast<uint32_t>(literal.size());
  v.decimal_ = arena.AllocateArray<Decimal>(1);
  v.decimal_->number = ParseDouble(literal);
  v.decimal_->literal = literal.data();
  return v;
}

Value Value::Double(Arena& arena, double d) {
  char text[kMaxDoubleText];
  std::string_view literal = arena.CopyString(FormatDouble(d, text));
  return Number(arena, literal);
}

Value Value::String(std::string_view s) {
  Value v;
  v.kind_ = Kind::kString;
  v.size_ = static_cast<uint32_t>(s.size());
  v.text_ = s.data();
  return v;
}

Value Value::Copy(Arena& arena, std::string_view s) { return String(arena.CopyString(s)); }

Value Value::Bytes(std::string_view s) {
  Value v = String(s);
  v.kind_ = Kind::kBytes;
  return v;
}

Value Value::Container(Arena& arena, Kind kind, uint32_t capacity, std::string_view source) {
  Value v;
  v.kind_ = kind;
  v.list_ = new (arena.Allocate(sizeof(List), alignof(List))) List{0, capacity, 0, {nullptr}, source};
  return v;
}

Value Value::Array(Arena& arena, uint32_t capacity) {
  Value v = Container(arena, Kind::kArray, capacity, {});
  if (capacity) v.list_->items = arena.AllocateArray<Value>(capacity);
  return v;
}

Value Value::Object(Arena& arena, uint32_t capacity) {
  Value v = Container(arena, Kind::kObject, capacity, {});
  if (capacity) v.list_->members = arena.AllocateArray<Member>(capacity);
  return v;
}

Value Value::ArrayOf(Arena& arena, std::span<const Value> items, std::string_view source) {
  Value v = Container(arena, Kind::kArray, static_cast<uint32_t>(items.size()), source);
  v.list_->size = v.list_->capacity;
  v.list_->items = arena.AllocateArray<Value>(items.size());
  std::uninitialized_copy(items.begin(), items.end(), v.list_->items);
  return v;
}

Value Value::ObjectOf(Arena& arena, std::span<const Member> members, std::string_view source) {
  Value v = Container(arena, Kind::kObject, static_cast<uint32_t>(members.size()), source);
  v.list_->size = v.list_->capacity;
  v.list_->members = arena.AllocateArray<Member>(members.size());
  std::uninitialized_copy(members.begin(), members.end(), v.list_->members);
  v.list_->sorted = members.size() > kSmallObject && Rises(members);
  return v;
}

bool Value::AsBool() const {
  assert(kind_ == Kind::kBool);
  return bool_;
}

int64_t Value::AsInt() const {
  assert(kind_ == Kind::kInt);
  return int_;
}

double Value::AsDouble() const {
  assert(is_number());
  return kind_ == Kind::kInt ? static_cast<double>(int_) : decimal_->number;
}

std::string_view Value::literal() const {
  assert(kind_ == Kind::kDouble);
  return {decimal_->literal, size_};
}

std::string_view Value::AsString() const {
  assert(kind_ == Kind::kString || kind_ == Kind::kBytes);
  return {text_, size_};
}

uint32_t Value::size() const { return kind_ == Kind::kArray || kind_ == Kind::kObject ? list_->size : 0; }

std::span<Value> Value::items() const {
  return kind_ == Kind::kArray ? std::span<Value>(list_->items, list_->size) : std::span<Value>();
}

std::span<Member> Value::members() const {
  return kind_ == Kind::kObject ? std::span<Member>(list_->members, list_->size) : std::span<Member>();
}

Value& Value::operator[](uint32_t index) const {
  assert(kind_ == Kind::kArray && index < list_->size);
  return list_->items[index];
}

std::string_view Value::source() const {
  return kind_ == Kind::kArray || kind_ == Kind::kObject ? list_->source : std::string_view();
}

Value* Value::Find(std::string_view key) const {
  if (kind_ == Kind::kObject && list_->sorted) {
    const std::span<Member> all = members();
    const auto found = std::ranges::lower_bound(all, key, {}, &Member::key);
    return found != all.end() && found->key == key ? &found->value : nullptr;
  }
  for (Member& member : members()) {
    const std::string_view other = member.key;
    if (other.size() != key.size()) continue;
    // Often the very same text, or one that begins otherwise: then no call is made.
    if (other.data() == key.data() || other.empty()) return &member.value;
    if (other.front() == key.front() && std::memcmp(other.data(), key.data(), key.size()) == 0) return &member.value;
  }
  return nullptr;
}

Value Value::Get(std::initializer_list<std::string_view> path) const {
  Value at = *this;
  for (std::string_view key : path) {
    Value* next = at.Find(key);
    if (!next) return {};
    at = *next;
  }
  return at;
}

std::string_view Value::GetString(std::string_view key) const {
  Value* found = Find(key);
  return found && found->is_string() ? found->AsString() : std::string_view();
}

namespace {
// Room for one more in a list whose elements are trivially copyable.
template <class T, class List>
void Grow(Arena& arena, List& list, T*& elements) {
  if (list.size < list.capacity) return;
  uint32_t capacity = std::max<uint32_t>(4, list.capacity * 2);
  T* larger = arena.AllocateArray<T>(capacity);
  if (list.size) std::memcpy(static_cast<void*>(larger), elements, sizeof(T) * list.size);
  elements = larger;
  list.capacity = capacity;
}

template <class T>
void EraseAt(T* elements, uint32_t& size, uint32_t index) {
  std::move(elements + index + 1, elements + size, elements + index);
  --size;
}
}  // namespace

void Value::Append(Arena& arena, Value item) const {
  assert(kind_ == Kind::kArray);
  Grow(arena, *list_, list_->items);
  new (&list_->items[list_->size++]) Value(item);
}

void Value::Add(Arena& arena, std::string_view key, Value item) const {
  assert(kind_ == Kind::kObject);
  Grow(arena, *list_, list_->members);
  list_->sorted = 0;
  new (&list_->members[list_->size++]) Member{key, item};
}

void Value::Set(Arena& arena, std::string_view key, Value item) const {
  if (Value* found = Find(key)) {
    *found = item;
  } else {
    Add(arena, key, item);
  }
}

bool Value::Remove(std::string_view key) const {
  if (kind_ != Kind::kObject) return false;
  Member* end =
      std::remove_if(list_->members, list_->members + list_->size, [&](const Member& m) { return m.key == key; });
  uint32_t kept = static_cast<uint32_t>(end - list_->members);
  bool removed = kept != list_->size;
  list_->size = kept;
  return removed;
}

void Value::Truncate(uint32_t size) const {
  assert(size <= this->size());
  if (kind_ == Kind::kArray || kind_ == Kind::kObject) list_->size = size;
}

void Value::Insert(Arena& arena, uint32_t index, Value item) const {
  assert(kind_ == Kind::kArray && index <= list_->size);
  Append(arena, item);
  std::rotate(list_->items + index, list_->items + list_->size - 1, list_->items + list_->size);
}

void Value::Erase(uint32_t index) const {
  assert(index < size());
  if (kind_ == Kind::kArray) {
    EraseAt(list_->items, list_->size, index);
  } else {
    EraseAt(list_->members, list_->size, index);
  }
}

bool Value::SameAs(const Value& other) const {
  return kind_ == other.kind_ && (kind_ == Kind::kArray || kind_ == Kind::kObject) && list_ == other.list_;
}

Value DeepCopy(Arena& arena, const Value& v) {
  switch (v.kind()) {
    case Kind::kString:
      return Value::Copy(arena, v.AsString());
    case Kind::kBytes:
      return Value::Bytes(arena.CopyString(v.AsString()));
    case Kind::kDouble:
      return Value::Number(arena, arena.CopyString(v.literal()));
    case Kind::kArray: {
      Value copy = Value::Array(arena, v.size());
      for (const Value& item : v.items()) copy.Append(arena, DeepCopy(arena, item));
      return copy;
    }
    case Kind::kObject: {
      Value copy = Value::Object(arena, v.size());
      for (const Member& member : v.members()) {
        copy.Add(arena, arena.CopyString(member.key), DeepCopy(arena, member.value));
      }
      return copy;
    }
    default:
      return v;
  }
}

namespace {

using LastByKey = absl::flat_hash_map<std::string_view, const Value*>;

LastByKey IndexLast(std::span<Member> members) {
  LastByKey index;
  index.reserve(members.size());
  for (const Member& member : members) index[member.key] = &member.value;
  return index;
}

bool EqualInAnyOrder(const Value& a, const Value& b) {
  LastByKey left = IndexLast(a.members());
  LastByKey right = IndexLast(b.members());
  if (left.size() != right.size()) return false;
  for (const auto& [key, value] : left) {
    auto found = right.find(key);
    if (found == right.end() || !Equal(*value, *found->second)) return false;
  }
  return true;
}

bool HasDuplicates(std::span<Member> members) {
  if (members.size() > kSmallObject) return IndexLast(members).size() != members.size();
  for (size_t i = 1; i < members.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (members[i].key == members[j].key) return true;
    }
  }
  return false;
}

bool EqualObjects(const Value& a, const Value& b) {
  std::span<Member> left = a.members();
  std::span<Member> right = b.members();
  // The usual case, the same keys in the same order, needs no table.
  bool same_keys = std::ranges::equal(left, right, {}, &Member::key, &Member::key);
  if (!same_keys || HasDuplicates(left)) return EqualInAnyOrder(a, b);
  for (size_t i = 0; i < left.size(); ++i) {
    if (!Equal(left[i].value, right[i].value)) return false;
  }
  return true;
}

}  // namespace

void KeepLastOfDuplicates(const Value& object) {
  std::span<Member> members = object.members();
  if (!HasDuplicates(members)) return;
  absl::flat_hash_map<std::string_view, size_t> place;
  size_t kept = 0;
  for (const Member& member : members) {
    auto [it, fresh] = place.try_emplace(member.key, kept);
    if (fresh) {
      members[kept++] = member;
    } else {
      members[it->second].value = member.value;
    }
  }
  object.Truncate(static_cast<uint32_t>(kept));
}

bool Equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_int() && b.is_int()) return a.AsInt() == b.AsInt();
    return a.AsDouble() == b.AsDouble();
  }
  if (a.kind() != b.kind()) return false;
  if (a.SameAs(b)) return true;
  switch (a.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return a.AsBool() == b.AsBool();
    case Kind::kString:
    case Kind::kBytes:
      return a.AsString() == b.AsString();
    case Kind::kArray:
      return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(), Equal);
    default:
      return EqualObjects(a, b);
  }
}

}  // namespace value
