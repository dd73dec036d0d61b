#include "value/value.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <new>
#include <string>

#include "value/number.h"

namespace value {

struct Value::List {
  uint32_t size;
  uint32_t capacity;
  union {
    Value* items;
    Member* members;
  };
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

Value Value::Array(Arena& arena, uint32_t capacity) {
  Value v;
  v.kind_ = Kind::kArray;
  v.list_ = arena.AllocateArray<List>(1);
  v.list_->size = 0;
  v.list_->capacity = capacity;
  v.list_->items = capacity ? arena.AllocateArray<Value>(capacity) : nullptr;
  return v;
}

Value Value::Object(Arena& arena, uint32_t capacity) {
  Value v;
  v.kind_ = Kind::kObject;
  v.list_ = arena.AllocateArray<List>(1);
  v.list_->size = 0;
  v.list_->capacity = capacity;
  v.list_->members = capacity ? arena.AllocateArray<Member>(capacity) : nullptr;
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

Value* Value::Find(std::string_view key) const {
  for (Member& member : members()) {
    if (member.key == key) return &member.value;
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
  Member* end = std::remove_if(list_->members, list_->members + list_->size, [&](const Member& m) { return m.key == key; });
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
const Value* FindLast(const Value& object, std::string_view key) {
  std::span<Member> members = object.members();
  for (size_t i = members.size(); i-- > 0;) {
    if (members[i].key == key) return &members[i].value;
  }
  return nullptr;
}

bool EachMemberOccursIn(const Value& a, const Value& b) {
  std::span<Member> in_order = b.members();
  size_t i = 0;
  for (const Member& member : a.members()) {
    const Value* mine = FindLast(a, member.key);
    // The usual case is the same order on both sides: look there first.
    bool same_place = i < in_order.size() && in_order[i].key == member.key;
    const Value* theirs = same_place ? &in_order[i].value : FindLast(b, member.key);
    ++i;
    if (!theirs || !Equal(*mine, same_place ? *FindLast(b, member.key) : *theirs)) return false;
  }
  return true;
}
}  // namespace

bool Equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_int() && b.is_int()) return a.AsInt() == b.AsInt();
    return a.AsDouble() == b.AsDouble();
  }
  if (a.kind() != b.kind()) return false;
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
      return EachMemberOccursIn(a, b) && EachMemberOccursIn(b, a);
  }
}

}  // namespace value
