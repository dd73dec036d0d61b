// Declaration: what is known of a variable's value and of its parts: the names and declarations of an object's fields,
// the items of a list, the sizes that they can have at most. Made from a schema (schema_declaration.h) or by hand.
//
// Immutable once made; any thread. A Declarations owns those that belong together and is shared by the environments
// that use them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/type.h"

namespace cel {

// How a document's value of the declaration becomes a value of CEL.
enum class Reading : uint8_t {
  kPlain,  // as JSON says: strings, ints, doubles, bools, null, lists, maps
  kInt,
  kDouble,
  kBool,
  kString,
  kBytes,  // base64
  kDuration,
  kTimestamp,
  kDate,
  kIntOrString,
  kObject,  // fields by name
  kMap,
  kList,
  kUnknown,  // x-kubernetes-preserve-unknown-fields without a type
};

enum class ListSemantics : uint8_t { kAtomic, kSet, kMap };

struct Declaration;

struct DeclaredField {
  std::string name;  // as expressions write it (escaped)
  std::string key;   // as documents write it
  const Declaration* declaration = nullptr;
  bool required = false;
};

inline constexpr uint64_t kNoSizeKnown = ~uint64_t{0};

struct Declaration {
  const Type* type = &kDynType;
  Reading reading = Reading::kPlain;
  ListSemantics list = ListSemantics::kAtomic;
  bool nullable = false;
  bool open = false;                     // an object that may have any field
  bool untyped = false;                  // any other name is a field too, whose type no value has
  bool strict = false;                   // made from a schema: a value of the wrong kind is an error
  bool has_bytes = false;                // here or below: documents hold them as base64 (WithBytes)
  std::string name;                      // of an object's type
  std::vector<DeclaredField> fields;     // sorted by name
  const Declaration* element = nullptr;  // of a list's items, of a map's values
  const Declaration* key = nullptr;      // of a map's keys
  std::vector<std::string> list_map_keys;
  uint64_t max_size = kNoSizeKnown;  // bytes of a string, items, entries
  uint64_t min_serialized_size = 1;  // bytes as JSON at least

  const DeclaredField* Field(std::string_view name) const;
  const DeclaredField* FieldOfKey(std::string_view key) const;
};

class Declarations {
 public:
  Declaration* New() { return &all_.emplace_back(); }
  TypePool& types() { return types_; }
  // Every object declaration, by the name of its type; nullptr if there is none of that name.
  const Declaration* FindType(std::string_view name) const;

 private:
  std::deque<Declaration> all_;
  TypePool types_;
};

// Property names as identifiers ("a-b" as "a__dash__b"); false if the name cannot be one.
bool EscapeName(std::string_view name, std::string& escaped);
bool UnescapeName(std::string_view escaped, std::string& name);

}  // namespace cel
