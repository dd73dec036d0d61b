// The API's types in their unversioned form, as far as texts of differences show them (rules/difference.h): constant
// tables made from data/api/internal_types.json. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace resources {

struct InternalField {
  std::string_view name;    // in Go
  std::string_view member;  // in the JSON of the object; "" the object itself, "^x" member x of the object around it
  uint16_t type;            // index into InternalTypes()
};

struct InternalType {
  enum class Kind : uint8_t {
    kStruct,
    kPointer,
    kSlice,
    kMap,
    kString,
    kBool,
    kInt,
    kQuantity,
    kIntOrString,
    kOpaque,  // never looked into
  };
  std::string_view name;  // "core.PodSpec", "*int64", "[]core.Container"
  Kind kind;
  uint16_t elem;          // of pointers, slices and maps: index into InternalTypes()
  uint16_t first, count;  // of structs: InternalFields()
  bool has_text;          // shown as the text that its String method gives
  bool keys_have_text;    // of maps: so are its keys
};

std::span<const InternalType> InternalTypes();
std::span<const InternalField> InternalFields();

}  // namespace resources
