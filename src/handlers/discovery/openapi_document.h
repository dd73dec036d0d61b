// OpenAPI documents as JSON text, made of paths and the schema tables. Pure functions, any thread; a document of
// version 3 of the core group is about 1 MB and takes a few milliseconds, the one of version 2 for everything 2 MB.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "handlers/discovery/openapi_paths.h"
#include "handlers/discovery/openapi_schemas.h"
#include "schema/texts.h"

namespace handlers {

struct OpenApiTexts {
  std::string_view server_version;
  const schema::Texts& types;
  bool enums = true;  // schemas say which values there are
  const OpenApiCustomSchemas& custom;
};
// `of_definitions`: nothing but custom kinds is in the document.
std::string WriteOpenApiV3(std::span<const OpenPath> paths, const OpenApiTexts& texts, bool of_definitions);
std::string WriteOpenApiV2(std::span<const OpenPath> paths, const OpenApiTexts& texts);

}  // namespace handlers
