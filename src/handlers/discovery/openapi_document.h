// OpenAPI documents as JSON text, made of paths and the schema tables. Pure functions, any thread; a document of
// version 3 of the core group is about 1 MB and takes a few milliseconds, the one of version 2 for everything 2 MB.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "handlers/discovery/openapi_paths.h"
#include "schema/texts.h"

namespace handlers {

// `enums`: schemas say which values there are.
std::string WriteOpenApiV3(std::span<const OpenPath> paths, std::string_view server_version, const schema::Texts& texts,
                           bool enums);
std::string WriteOpenApiV2(std::span<const OpenPath> paths, std::string_view server_version, const schema::Texts& texts,
                           bool enums);

}  // namespace handlers
