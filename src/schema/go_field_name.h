// What Go calls the fields of the API's messages: errors about broken protobuf name them so. Pure functions, any
// thread.
#pragma once

#include <string>

#include "schema/schema.h"

namespace schema {

// "UID" for `uid`, "ObjectMeta" for `metadata`. Of types of run time the JSON name with a capital. A binary search.
std::string GoFieldName(const Field& field);

}  // namespace schema
