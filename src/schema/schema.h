// Types as data: what a Kubernetes type is to every operation. Built-in types are constant tables made at build time
// from data/api (tools/make_tables.py); types of custom resource definitions are made of the same structs at run time.
// Immutable after construction, shared between threads, never freed while a reader holds the registry that owns it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace schema {

enum class FieldKind : uint8_t {
  kString,
  kInt32,
  kInt64,
  kBool,
  kDouble,
  kBytes,
  kRef,
  kQuantity,
  kIntOrString,
  kTime,
  kMicroTime,
  kDuration,
  kRawExtension,
  kFieldsV1,
  kJson,
  kStringList,
  kAny,
};
enum class Shape : uint8_t { kSingle, kList, kMap };    // of kind; a map is from string
enum class ListType : uint8_t { kAtomic, kSet, kMap };  // server-side apply
enum class Special : uint8_t {                          // JSON form that is no object of the fields
  kNone,
  kQuantity,
  kIntOrString,
  kTime,
  kMicroTime,
  kDuration,
  kRawExtension,
  kFieldsV1,
  kJson,
  kStringList,
  kUnknown,
  kSchemaOrArray,
  kSchemaOrBool,
  kSchemaOrStringArray,
};

struct Type;
struct Structural;  // structural.h

struct Field {
  std::string_view name;      // JSON name; "" for an inline field
  const Type* ref = nullptr;  // of kRef and of kStringList
  uint32_t wire = 0;          // protobuf number; 0 is not on the wire
  uint16_t place = 0;         // index in the owner's `members`: of this field, or of the first one of an inline field
  FieldKind kind = FieldKind::kString;
  Shape shape = Shape::kSingle;
  ListType list_type = ListType::kAtomic;
  bool is_inline : 1 = false;  // members of `ref` stand in the enclosing object (a nested message where wire != 0)
  bool pointer : 1 = false;    // absence differs from the zero value
  bool omitempty : 1 = false;
  bool required : 1 = false;  // OpenAPI
  bool wire_only : 1 = false;
  bool map_atomic : 1 = false;          // mapType atomic
  bool map_granular : 1 = false;        // mapType granular is declared (else it is the default)
  bool list_type_declared : 1 = false;  // OpenAPI says list_type (also on five fields that are no list)
  bool union_discriminator : 1 = false;
  bool patch_merge : 1 = false;  // patchStrategy
  bool patch_replace : 1 = false;
  bool patch_retain_keys : 1 = false;
  std::string_view patch_merge_key;
  std::span<const std::string_view> list_map_keys;
  std::span<const std::string_view> enum_values;
  std::string_view default_json;  // OpenAPI default, JSON text; "" if none
  std::string_view format;        // OpenAPI format
  std::string_view go_type;       // where GoType() does not follow from the rest: "types.UID", "[]v1.Capability"
};

struct GroupVersionKind {
  std::string_view group, version, kind;
};

// Exactly one of the members may be set; `discriminator` names it (OpenAPI's x-kubernetes-unions).
struct Union {
  struct Member {
    std::string_view field, value;
  };
  std::string_view discriminator;
  std::span<const Member> members;
};

struct Type {
  std::string_view name;     // OpenAPI name, io.k8s.api.core.v1.Pod
  std::string_view go_name;  // what error texts call it: "v1.Pod"
  Special special = Special::kNone;
  bool map_atomic : 1 = false;  // one unit for server-side apply
  bool has_wire : 1 = false;    // has a protobuf form
  bool in_openapi : 1 = false;
  // Objects of this kind are stored in their wire form by the API's reference: what that form does not keep (empty
  // lists and maps) comes back as null where it is not left out.
  bool stored_as_wire : 1 = false;
  GroupVersionKind gvk;           // kind "" if no top-level kind
  std::span<const Field> fields;  // declaration order: the order of JSON output
  std::span<const Union> unions;
  // Of a custom resource: what describes its objects, in place of `fields`, which name its first level only.
  const Structural* structural = nullptr;

  // Look-up aids, made with the table (BuildIndex for types of run time).
  std::span<const Field* const>
      members;  // every member of the JSON object in order: inline ones in their place, wire-only ones left out
  std::span<const uint16_t> slots;   // hash table of member indexes + 1, a power of two long; 0 is free
  std::span<const uint8_t> by_wire;  // index + 1 into `fields` at each wire number; 0 is none

  std::string_view struct_name() const;  // "Pod"
  // The member of that JSON name, also of inline fields, or -1 and nullptr. Constant time.
  int MemberIndex(std::string_view json_name) const;
  const Field* Member(std::string_view json_name) const;
  // The member among this type's own fields (not through inline ones), or nullptr.
  const Field* Own(std::string_view json_name) const;
  // The field of that wire number, or nullptr.
  const Field* Wire(uint32_t number) const {
    return number < by_wire.size() && by_wire[number] ? &fields[by_wire[number] - 1] : nullptr;
  }
};

// The Go type of a field's value and of the items of its list or map, as error texts print them: "map[string]string",
// "v1.Container".
std::string GoType(const Field& field);
std::string GoItemType(const Field& field);

// The hash that `slots` is made with; tools/make_tables.py has the same one.
uint64_t NameHash(std::string_view name);
// Free slots for `members`: fills `slots`, whose length is a power of two and at least twice as large as `members`.
void BuildSlots(std::span<const Field* const> members, std::span<uint16_t> slots);

// The built-in type of that OpenAPI name, or nullptr.
const Type* FindType(std::string_view openapi_name);
// The built-in type of a top-level kind, or nullptr. The kinds that every group version has (DeleteOptions, WatchEvent,
// ...) are found under any group and version.
const Type* FindKind(std::string_view group, std::string_view version, std::string_view kind);
std::span<const Type> AllTypes();  // by name

}  // namespace schema
