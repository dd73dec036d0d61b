// Encoding a canonical tree (schema/decode.h) by its schema, to the byte as the real server writes it.
#pragma once

#include <cstdint>
#include <string>

#include "schema/schema.h"
#include "value/value.h"

namespace schema {

// Appends the JSON of `object`, keys in schema order, zero values as Go's omitempty says. No trailing newline.
// `marks`, where given, receives the offsets in `out` of what the store keeps beside the bytes.
struct Marks {
  uint32_t revision = 0;   // where the digits of metadata.resourceVersion stand (a hole if the object has none: `"resourceVersion":""` is written)
  uint32_t labels = 0;     // of the '{' of metadata.labels; 0 without labels
};
void EncodeJson(const Type& type, const value::Value& object, std::string& out, Marks* marks = nullptr);

// Appends the message of `object` (no envelope).
void EncodeWire(const Type& type, const value::Value& object, std::string& out);
// Appends `k8s\0` and runtime.Unknown around the message.
void EncodeEnvelope(const Type& type, std::string_view api_version, std::string_view kind, const value::Value& object, std::string& out);

}  // namespace schema
