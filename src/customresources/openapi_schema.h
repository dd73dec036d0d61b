// What OpenAPI documents say of a custom resource: the schemas of its kind and of lists of it, made of the definition
// as it is stored (its descriptions are nowhere else). In the real server this is pkg/controller/openapi/builder.
//
// Pure; any thread; linear in the schema. Trees share parts with the definition and live in the arena; write them with
// sorted keys. Paths and operations follow the resource table, as those of built-in kinds do.
#pragma once

#include <string_view>

#include "value/arena.h"
#include "value/value.h"

namespace customresources {

enum class OpenApiForm {
  kV2,  // without what kubectl cannot read: defaults, junctors, and what is below nullable and preserved values
  kV3,  // whole
};

struct OpenApiKind {
  std::string_view group, version, kind, list_kind, plural;
  // Descriptions, as ObjectMeta's owner types have them.
  std::string_view api_version_text, kind_text, metadata_text, list_metadata_text;
  value::Value selectable_fields;  // of the version; null none
};

// Under their OpenApiName (resource_type.h). `schema`: openAPIV3Schema of the version, or null.
value::Value PublishedSchema(value::Arena& arena, const value::Value& schema, const OpenApiKind& kind,
                             OpenApiForm form);
value::Value PublishedListSchema(value::Arena& arena, const OpenApiKind& kind, OpenApiForm form);

}  // namespace customresources
