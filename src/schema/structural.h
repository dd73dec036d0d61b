// Structural schemas: what the type of a custom resource is to every operation, where built-in types have tables of
// fields. A graph of immutable nodes, made by customresources/ from a definition and shared between definitions where
// sub-schemas are equal. A custom resource's Type (schema.h) points to the node of its root.
//
// A node does not own what it points to: customresources::CompiledSchema does, and lives as long as anybody uses it.
// Any thread. Trees of custom resources have no canonical form beyond sorted keys: what is in them was sent, also
// zeros, empty lists and null.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "schema/schema.h"
#include "value/value.h"

namespace schema {

// "type" of a schema; kAny where it says none.
enum class JsonType : uint8_t { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean };
std::string_view NameOf(JsonType type);  // "object"; "" of kAny

struct Structural;

struct Property {
  std::string_view name;
  const Structural* schema;
};

// One x-kubernetes-validations rule, as text.
struct ValidationRule {
  std::string_view rule, message, message_expression, reason, field_path;
  std::optional<bool> optional_old_self;
};

// What a schema demands of values beyond their structure. A node that demands nothing has none.
struct ValueRules {
  std::string_view format, pattern;
  // Bounds as they were written; null where there is none.
  const value::Value* minimum = nullptr;
  const value::Value* maximum = nullptr;
  const value::Value* multiple_of = nullptr;
  bool exclusive_minimum = false, exclusive_maximum = false, unique_items = false;
  std::optional<int64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
  std::span<const value::Value> enum_values;
  std::span<const std::string_view> required;  // as written
  std::span<const Structural* const> all_of, any_of, one_of;
  const Structural* is_not = nullptr;
  std::span<const ValidationRule> validations;
};

enum class Additional : uint8_t { kUnsaid, kForbidden, kAny, kSchema };  // additionalProperties

struct Structural {
  JsonType type = JsonType::kAny;
  ListType list_type = ListType::kAtomic;
  Additional additional_kind = Additional::kUnsaid;
  bool nullable : 1 = false;
  bool int_or_string : 1 = false;
  bool preserve_unknown : 1 = false;  // x-kubernetes-preserve-unknown-fields
  bool embedded : 1 = false;          // x-kubernetes-embedded-resource
  bool map_atomic : 1 = false;
  bool list_type_declared : 1 = false;
  bool map_type_declared : 1 = false;
  // Here or somewhere below, through properties, items and additionalProperties: walks leave out what has nothing.
  bool has_defaults : 1 = false;
  bool has_embedded : 1 = false;
  bool has_identified_lists : 1 = false;  // list types set and map
  bool has_validations : 1 = false;       // x-kubernetes-validations
  std::span<const Property> properties;   // by name
  const Structural* items = nullptr;
  const Structural* additional = nullptr;  // of kSchema
  std::span<const std::string_view> list_map_keys;
  const value::Value* default_value = nullptr;  // not null, pruned
  const ValueRules* rules = nullptr;

  // The schema of that property, or nullptr. Logarithmic in their number.
  const Structural* Find(std::string_view name) const;
  // The schema of that key of an object: of a property, or of additional ones; nullptr where there is none.
  const Structural* Of(std::string_view name) const {
    const Structural* found = Find(name);
    return found != nullptr ? found : additional;
  }
};

// apiVersion, kind and metadata: what every resource has beside its own fields.
bool IsMetaField(std::string_view name);

// The schema of an object's metadata, as server-side apply sees it.
const Structural& ObjectMetaStructural();
// Of apiVersion and kind.
const Structural& StringStructural();

}  // namespace schema
