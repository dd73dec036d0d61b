// Paths of fields: a path to a field as definitions write it (".spec.replicas", ".spec['a.b']"), looked up in a schema.
// Called by rules for selectable fields and expressions. Pure; any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "value/value.h"

namespace customresources {

struct SchemaField {
  std::string root;     // the first step
  std::string text;     // the same for every way to write the path
  value::Value schema;  // what is said of the field; null where it is not described
};

// The error says why there is no such field. `brackets` allows steps in brackets.
std::expected<SchemaField, std::string> FindField(std::string_view path, const value::Value& schema, bool brackets);

}  // namespace customresources
