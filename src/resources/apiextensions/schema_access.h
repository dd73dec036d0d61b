// How rules read the JSON schema of a custom resource definition: a canonical tree of JSONSchemaProps. Pure; any
// thread.
#pragma once

#include <string_view>

#include "value/value.h"

namespace resources::apiextensions {

using value::Value;

inline bool IsSet(const Value& schema, std::string_view flag) {
  const Value found = schema.Get(flag);
  return found.is_bool() && found.AsBool();
}
// There, and not null.
inline bool Has(const Value& schema, std::string_view member) { return !schema.Get(member).is_null(); }

// Of `items` and `additionalProperties`: the schema, null where it is a list of them or a bool.
inline Value SchemaIn(const Value& schema, std::string_view member) {
  const Value found = schema.Get(member);
  return found.is_object() ? found : Value();
}

// What every resource has beside its own fields.
inline bool IsMetaField(std::string_view name) { return name == "metadata" || name == "apiVersion" || name == "kind"; }

inline constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
inline constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
inline constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
inline constexpr std::string_view kListType = "x-kubernetes-list-type";
inline constexpr std::string_view kListMapKeys = "x-kubernetes-list-map-keys";
inline constexpr std::string_view kMapType = "x-kubernetes-map-type";
inline constexpr std::string_view kValidations = "x-kubernetes-validations";

}  // namespace resources::apiextensions
