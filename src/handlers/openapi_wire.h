// The OpenAPI version 2 document in its binary form, openapi.v2.Document of gnostic: what older kubectl asks for. Made
// of the JSON form. Pure function, any thread.
#pragma once

#include <string>
#include <string_view>

namespace handlers {

// `json` is a document that WriteOpenApiV2 wrote.
std::string OpenApiV2ToWire(std::string_view json);

}  // namespace handlers
