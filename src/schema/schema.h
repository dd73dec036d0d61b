// Types as data: what a Kubernetes type is to every operation. Built-in types are constant tables made at build time from
// data/api (tools/make_tables.py); types of custom resource definitions are made of the same structs at run time.
// Immutable after construction, shared between threads, never freed while a reader holds the registry that owns it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace schema {

enum class FieldKind : uint8_t {
  kString, kInt32, kInt64, kBool, kDouble, kBytes, kRef, kQuantity, kIntOrString, kTime, kMicroTime, kDuration,
  kRawExtension, kFieldsV1, kJson, kStringList, kAny,
};
enum class Shape : uint8_t { kSingle, kList, kMap };                 // of kind; a map is from string
enum class ListType : uint8_t { kAtomic, kSet, kMap };               // server-side apply
enum class Special : uint8_t {                                       // JSON form that is no object of the fields
  kNone, kQuantity, kIntOrString, kTime, kMicroTime, kDuration, kRawExtension, kFieldsV1, kJson, kStringList, kUnknown,
  kSchemaOrArray, kSchemaOrBool, kSchemaOrStringArray,
};

struct Type;

struct Field {
  std::string_view name;          // JSON name; "" for an inline field
  const Type* ref = nullptr;      // of kRef and of kStringList
  FieldKind kind = FieldKind::kString;
  Shape shape = Shape::kSingle;
  ListType list_type = ListType::kAtomic;
  uint32_t wire = 0;              // protobuf number; 0 is not on the wire
  bool is_inline : 1 = false;     // members of `ref` stand in the enclosing object (a nested message where wire != 0)
  bool pointer : 1 = false;       // absence differs from the zero value
  bool omitempty : 1 = false;
  bool required : 1 = false;      // OpenAPI
  bool wire_only : 1 = false;
  bool map_atomic : 1 = false;    // mapType atomic
  bool union_discriminator : 1 = false;
  bool patch_merge : 1 = false;   // patchStrategy
  bool patch_replace : 1 = false;
  bool patch_retain_keys : 1 = false;
  std::string_view patch_merge_key;
  std::span<const std::string_view> list_map_keys;
  std::span<const std::string_view> enum_values;
  std::string_view default_json;  // OpenAPI default, JSON text; "" if none
  std::string_view format;        // OpenAPI format
};

struct GroupVersionKind {
  std::string_view group, version, kind;
};

struct Type {
  std::string_view name;      // OpenAPI name, io.k8s.api.core.v1.Pod
  std::string_view go_name;   // what error texts call it: "v1.Pod", "Pod"
  Special special = Special::kNone;
  bool map_atomic = false;    // one unit for server-side apply
  bool has_wire = false;      // has a protobuf form
  bool in_openapi = false;
  GroupVersionKind gvk;       // kind "" if no top-level kind
  std::span<const Field> fields;  // declaration order: the order of JSON output
  // Look-up aids, built with the table: indexes into `fields` by name and by wire number.
  std::span<const uint16_t> by_name;  // sorted by name, inline fields left out
  std::span<const uint16_t> by_wire;  // ascending wire numbers

  // The field of that JSON name among this type's own (not through inline ones), or nullptr.
  const Field* Own(std::string_view json_name) const;
};

// The built-in type of that OpenAPI name, or nullptr.
const Type* FindType(std::string_view openapi_name);
// The built-in type of a top-level kind, or nullptr.
const Type* FindKind(std::string_view group, std::string_view version, std::string_view kind);
std::span<const Type* const> AllTypes();

}  // namespace schema
