// Value: what a CEL expression computes with. 24 bytes, trivially copyable; scalars stand in it, everything else is
// referred to: strings and containers live in a document (value::Value), in the evaluation's arena or in the program.
// A Value is valid as long as what it refers to. Errors are values.
//
// A list or map of a document is read in place: it converts nothing that is not asked for. Its declaration, where the
// document has a schema, says what its parts are (field names, timestamps in strings, sets).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "value/arena.h"
#include "value/value.h"

namespace cel {

struct Declaration;
class Value;

enum class ValueKind : uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kList,
  kMap,
  kStruct,
  kDuration,
  kTimestamp,
  kType,
  kOptional,
  kOpaque,
  kError,
};

// What a kOpaque refers to.
enum class OpaqueKind : uint8_t {
  kQuantity,
  kIp,
  kCidr,
  kUrl,
  kFormat,
  kSemver,
  kAuthorizer,
  kPathCheck,
  kGroupCheck,
  kResourceCheck,
  kDecision,
};

struct MapEntry;

// A map made by an expression: entries in the order in which they were made, with a hash table when there are many.
struct EntryMap {
  MapEntry* entries = nullptr;
  uint32_t size = 0;
  uint32_t capacity = 0;
  uint32_t* slots = nullptr;  // index + 1, 0 is free; nullptr while the map is small
  uint32_t slot_count = 0;    // a power of two

  const Value* Find(const Value& key) const;
  // Replaces the value of a key that is there.
  void Set(value::Arena& arena, const Value& key, const Value& item);
  void Remove(const Value& key);
};

// A list that is two lists one after the other.
struct ConcatList;

// Fields that are computed when they are first asked for (variables of a policy). The owner outlives the evaluation.
class LazyFields {
 public:
  virtual ~LazyFields() = default;
  // The field's value, or an error value; false if there is no such field.
  virtual bool Get(std::string_view name, Value& result) = 0;
};

class Value {
 public:
  enum class Form : uint8_t { kNone, kItems, kConcat, kDocument, kEntries, kLazy, kFields };

  constexpr Value() : kind_(ValueKind::kNull), form_(Form::kNone), extra_(0), size_(0), int_(0), about_(nullptr) {}

  static Value Bool(bool b);
  static Value Int(int64_t i);
  static Value Uint(uint64_t u);
  static Value Double(double d);
  static Value String(std::string_view s);
  static Value Bytes(std::string_view s);
  static Value Duration(int64_t nanoseconds);
  // Seconds since 1970 and nanoseconds from there; the offset that the text had which it was read from, minutes east.
  static Value Timestamp(int64_t seconds, uint32_t nanoseconds, int16_t offset_minutes = 0);
  static Value TypeNamed(std::string_view name);  // the value of type(x)
  // `declaration` says how the list compares, where it has one.
  static Value List(std::span<const Value> items, const Declaration* declaration = nullptr);
  static Value Concat(const ConcatList* list, uint32_t size);
  static Value Map(const EntryMap* map);
  static Value Lazy(LazyFields* fields);
  // A literal of a struct type: fields by name.
  static Value Struct(const EntryMap* fields, const Declaration* declaration);
  // What `document` holds, as its declaration says (nullptr: as it is). Lists, maps and strings refer to `document`,
  // which must stay where it is.
  static Value Document(const value::Value& document, const Declaration* declaration);
  static Value None();
  static Value OptionalOf(value::Arena& arena, const Value& of);
  static Value Opaque(OpaqueKind kind, const void* object);
  static Value Error(std::string_view message);                       // static text
  static Value Error(value::Arena& arena, std::string_view message);  // copies

  ValueKind kind() const { return kind_; }
  Form form() const { return form_; }
  bool is(ValueKind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == ValueKind::kError; }
  bool is_true() const { return kind_ == ValueKind::kBool && bool_; }
  bool is_false() const { return kind_ == ValueKind::kBool && !bool_; }

  // Accessors require the kind.
  bool AsBool() const { return bool_; }
  int64_t AsInt() const { return int_; }
  uint64_t AsUint() const { return uint_; }
  double AsDouble() const { return double_; }
  std::string_view text() const { return {text_, size_}; }  // string, bytes, name of a type, message of an error
  int64_t nanoseconds() const { return int_; }              // duration
  int64_t seconds() const { return int_; }                  // timestamp
  uint32_t subsecond() const { return size_; }
  int16_t offset_minutes() const { return static_cast<int16_t>(extra_); }
  const Value* optional() const { return optional_; }  // nullptr for none
  std::string_view struct_name() const;                // of a struct literal
  OpaqueKind opaque_kind() const { return static_cast<OpaqueKind>(extra_); }
  template <class T>
  const T& opaque() const {
    return *static_cast<const T*>(object_);
  }

  // Of lists, maps and structs.
  uint32_t size() const { return size_; }  // of a document's and an entries' container; lists in every form
  const value::Value& document() const { return *document_; }
  const Declaration* declaration() const { return static_cast<const Declaration*>(about_); }
  const EntryMap& entries() const { return *entries_; }
  LazyFields& lazy() const { return *lazy_; }
  const Value* items() const { return items_; }         // kItems
  const ConcatList* concat() const { return concat_; }  // kConcat

  // The item of a list; `index` < size().
  Value At(uint32_t index) const;
  // How many items or entries.
  uint32_t Count() const { return size_; }

 private:
  ValueKind kind_;
  Form form_;
  uint16_t extra_;
  uint32_t size_;
  union {
    bool bool_;
    int64_t int_;
    uint64_t uint_;
    double double_;
    const char* text_;
    const Value* items_;
    const ConcatList* concat_;
    const value::Value* document_;
    const EntryMap* entries_;
    LazyFields* lazy_;
    const Value* optional_;
    const void* object_;
  };
  const void* about_;  // the Declaration of a container, where it has one
};
static_assert(sizeof(Value) == 24);

struct MapEntry {
  Value key, value;
};

struct ConcatList {
  Value left, right;
};

// The value's type, as type(x) names it: "int", "list", "google.protobuf.Timestamp".
std::string_view TypeName(const Value& value);

// The size that size() tells: code points of a string; false for what has no size.
bool SizeOf(const Value& value, int64_t& size);
int64_t CodePoints(std::string_view text);

// Looks `key` up in a map (or struct). A missing key gives false; `result` is an error value if the key's type is none
// that a map may have.
bool FindInMap(const Value& map, const Value& key, Value& result);
// The field of that name of a struct, or the value of that key of a map.
bool FindField(const Value& map, std::string_view name, Value& result);

// The item of a document's list that is a map by `keys` which has the values that `like` has there: scalars; nullptr
// without one.
const value::Value* FindInMapList(const value::Value& list, std::span<const std::string> keys,
                                  const value::Value& like);

// Walks a map's keys in order. A map of a document goes in document order.
class MapWalk {
 public:
  explicit MapWalk(const Value& map);
  // False at the end.
  bool Next(Value& key, Value& item);

 private:
  const Value& map_;
  uint32_t at_ = 0;
};

// Work that an operation may still do: comparing nested lists takes steps that no cost counts.
struct Steps {
  uint64_t left;
};

// Equality as CEL's ==: numbers across their kinds, null only with null. Out of steps: false.
bool Equal(const Value& a, const Value& b, Steps& steps);
// -1, 0, 1 of two values that can be ordered; `error` has the reason where they cannot.
bool Compare(const Value& a, const Value& b, int& order, std::string_view& error);
uint64_t HashKey(const Value& key);

}  // namespace cel
