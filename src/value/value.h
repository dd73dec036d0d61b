// Value: the document tree that every codec reads and writes and every operation on (value, schema) works on.
//
// A Value is 16 bytes, trivially copyable, and points into an Arena: copying a Value copies the reference, not the
// content; the tree lives exactly as long as its Arena. One request has one Arena, dropped whole at its end. Not
// thread-safe for writing; a tree nobody changes may be read from any thread.
//
// Objects keep their members in document order and may hold duplicate keys as long as only a decoder has touched
// them (a codec reports duplicates where it is asked to). Find() looks from the front.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>

#include "value/arena.h"

namespace value {

enum class Kind : uint8_t { kNull, kBool, kInt, kDouble, kString, kBytes, kArray, kObject };

struct Member;

class Value {
 public:
  constexpr Value() : kind_(Kind::kNull), size_(0), int_(0) {}

  static Value Bool(bool b);
  static Value Int(int64_t i);
  // A number that is no int64: `literal` is its text as it stood in the document (1.0, 1e3, 18446744073709551616); it
  // must outlive the tree (an arena's string).
  static Value Number(Arena& arena, std::string_view literal);
  // A computed double; its literal is what the API's writer prints for it (shortest form that reads back).
  static Value Double(Arena& arena, double d);
  // `s` must live in the arena, or as long as it (static text, the request's body).
  static Value String(std::string_view s);
  static Value Copy(Arena& arena, std::string_view s);
  static Value Bytes(std::string_view s);  // CBOR and protobuf byte strings that have not met their schema
  static Value Array(Arena& arena, uint32_t capacity = 0);
  static Value Object(Arena& arena, uint32_t capacity = 0);
  // Containers made whole: `items` or `members` are copied into the arena without room to spare. `source` is the text
  // they were read from (see source()).
  static Value ArrayOf(Arena& arena, std::span<const Value> items, std::string_view source = {});
  static Value ObjectOf(Arena& arena, std::span<const Member> members, std::string_view source = {});

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_int() const { return kind_ == Kind::kInt; }
  bool is_number() const { return kind_ == Kind::kInt || kind_ == Kind::kDouble; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_object() const { return kind_ == Kind::kObject; }

  // Accessors require the kind (debug-checked). AsString also takes kBytes.
  bool AsBool() const;
  int64_t AsInt() const;
  double AsDouble() const;           // kInt too
  std::string_view literal() const;  // of a kDouble
  std::string_view AsString() const;

  // Arrays and objects. size() is 0 for every other kind, so that reading an absent list needs no test.
  uint32_t size() const;
  bool empty() const { return size() == 0; }
  std::span<Value> items() const;           // empty unless an array
  std::span<Member> members() const;        // empty unless an object
  Value& operator[](uint32_t index) const;  // array item

  // The JSON text that an array or object was read from, as it stood in the document (white space and all); "" for one
  // that was made otherwise. Changes to the container or below do not touch it.
  std::string_view source() const;

  // The member's value, or nullptr. On anything but an object: nullptr.
  Value* Find(std::string_view key) const;
  // Find, for a chain of keys: Get({"metadata", "labels"}). Null Value where the chain breaks.
  Value Get(std::initializer_list<std::string_view> path) const;
  Value Get(std::string_view key) const { return Get({key}); }
  // The string at `key`, or "" if it is absent or no string.
  std::string_view GetString(std::string_view key) const;

  // Changes. Each amortised O(1) but for Set and Remove, which look the key up. `key` must live as long as the arena.
  void Append(Arena& arena, Value item) const;
  void Add(Arena& arena, std::string_view key, Value item) const;  // at the end, without a look
  void Set(Arena& arena, std::string_view key, Value item) const;  // replaces the first such member, or adds
  bool Remove(std::string_view key) const;                         // every member of that key; keeps the order
  void Truncate(uint32_t size) const;
  void Insert(Arena& arena, uint32_t index, Value item) const;  // array
  void Erase(uint32_t index) const;                             // array item or member

  // The same containers: two Values with the same identity see each other's changes.
  bool SameAs(const Value& other) const;

 private:
  struct List;  // header of items or members in the arena
  struct Decimal;
  static Value Container(Arena& arena, Kind kind, uint32_t capacity, std::string_view source);

  Kind kind_;
  uint32_t size_;  // length of a string
  union {
    bool bool_;
    int64_t int_;
    const char* text_;
    List* list_;
    Decimal* decimal_;
  };
};
static_assert(sizeof(Value) == 16);

struct Member {
  std::string_view key;
  Value value;
};

// The last member of each key, in the order in which the keys first stand, is what Go's decoder keeps of an object:
// removes the others, in place. Linear time.
void KeepLastOfDuplicates(const Value& object);

// A copy that shares nothing with `v`, in `arena`.
Value DeepCopy(Arena& arena, const Value& v);

// Equal as JSON documents: objects without regard to order (and the last of duplicate members counts), 1 equals 1.0.
bool Equal(const Value& a, const Value& b);

}  // namespace value
