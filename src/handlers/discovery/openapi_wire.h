// OpenAPI documents in their binary forms, openapi.v2.Document and openapi.v3.Document of gnostic, in which kubectl
// asks for what it validates with. Made of the JSON forms. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

namespace handlers {

// `json` is a document that WriteOpenApiV2 wrote.
std::string OpenApiV2ToWire(std::string_view json);

// The same of WriteOpenApiV3.
std::string OpenApiV3ToWire(std::string_view json);

}  // namespace handlers
