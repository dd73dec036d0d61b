// Objects as the real server holds them: values of its internal Go types, read from canonical trees. What texts show of
// them (difference.h) follows from those types, not from the published schema. Pure; any thread; a GoValue lives as
// long as its tree and its arena.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "value/value.h"

namespace resources::go {

using value::Arena;
using value::Value;

struct Field {
  std::string_view name, type;
  std::string_view json;  // the member; "-" the object itself (an embedded struct), "^x" member x of the object around
};
struct Struct {
  std::string_view name;
  std::span<const Field> fields;  // in their order
};
struct Alias {
  std::string_view name, of;
};

// The tables made of data/api/internal_types.txt, by name.
std::span<const Struct> Structs();
std::span<const Alias> Aliases();

enum class Kind : uint8_t { kBool, kInt, kString, kStruct, kSlice, kMap, kPointer };

Kind KindOf(std::string_view type);
// The type behind names that stand for others; structs and basic types are their own.
std::string_view Underlying(std::string_view type);
// Of a slice, a map or a pointer.
std::string_view ElementType(std::string_view type);
inline bool IsNamed(std::string_view type) {
  return !type.starts_with('[') && !type.starts_with('*') && !type.starts_with("map[");
}

class GoValue {
 public:
  GoValue() = default;  // no value at all: the missing item of a list
  // `json` as it stands in `around`; null for an absent one, which has its zero value.
  GoValue(std::string_view type, Value json, Value around, Arena& arena);

  bool valid() const { return !type_.empty(); }
  std::string_view type() const { return type_; }
  Kind kind() const { return kind_; }
  bool IsNil() const;  // slices, maps, pointers
  bool IsZero() const;
  std::string Scalar() const;       // of numbers and booleans
  std::string_view String() const;  // of strings
  // What the type's own String() says, where it has one that printing asks.
  bool HasText() const;
  std::string Text() const;

  std::span<const Field> Fields() const;
  GoValue Get(const Field& field) const;
  std::vector<GoValue> Items() const;                                 // of a slice
  std::vector<std::pair<std::string_view, GoValue>> Entries() const;  // of a map, by key
  GoValue Target() const;                                             // of a pointer that is not nil
  std::string_view key_type() const;                                  // of a map

  // Equal as Go's comparison has it where the type has a method for it (quantities).
  bool HasEqual() const { return type_ == "resource.Quantity"; }
  bool Equals(const GoValue& other) const;

 private:
  std::string_view type_;
  Kind kind_ = Kind::kBool;
  Value json_, around_;
  Arena* arena_ = nullptr;
};

}  // namespace resources::go
