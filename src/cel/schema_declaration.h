// Declarations made of OpenAPI schemas (of custom resource definitions, and of the API's own documents), as the API
// server makes them: names escaped, sizes bounded by what a request can hold. Pure; linear in the schema.
#pragma once

#include <string_view>

#include "cel/declaration.h"
#include "value/value.h"

namespace cel {

inline constexpr uint64_t kMaxRequestBytes = 3 * 1024 * 1024;

// What `schema` (an OpenAPI v3 schema as a document; references resolved) declares; nullptr where expressions cannot
// use the value: no type, a list without items. `type_name` names its object type, and "<name>.<field>" those below.
// With `resource_root` the object has kind, apiVersion and metadata.name and generateName even if the schema is silent.
// Schemas nested more than 100 deep declare nothing there.
const Declaration* DeclareSchema(Declarations& declarations, const value::Value& schema, std::string_view type_name,
                                 bool resource_root = false);

// `document` with the bytes in place of base64 texts (format byte): what a value is made of where the declaration has
// bytes. Shares what has none; `arena` holds the rest. A text that is none stays, and gives an error when it is read.
value::Value WithBytes(value::Arena& arena, const value::Value& document, const Declaration& declaration);

}  // namespace cel
