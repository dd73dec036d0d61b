// Encoding a canonical tree (schema/decode.h) by its schema, to the byte as the real server writes it as JSON.
//
// Trees that were changed since they were decoded need not be in the schema's order: members and map keys are put in
// order on the way out, members that the schema does not know are left out, zero values fall under omitempty however
// they are there. Called by the registry for every write and by the handlers for what is not stored. Pure functions,
// any thread; they append to `out`. Depth is that of the tree, which its reader bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/schema.h"
#include "value/value.h"

namespace schema {

// What the store keeps beside the bytes: offsets in `out`.
struct Marks {
  // Where the digits of metadata.resourceVersion stand. The field is always written: `"resourceVersion":""`, a hole, if
  // the object has none. 0 if the type has no metadata.
  uint32_t revision = 0;
  // The '{' of metadata.labels, counted with the hole as it is: digits that are filled in move it. 0 without labels.
  uint32_t labels = 0;
};

// Appends the JSON of `object`, keys in schema order, zero values as Go's omitempty says. No trailing newline.
// A top-level kind begins with its kind and apiVersion: the object's, or the type's where it has none.
// `escaped` as of value::WriteJson, in what the schema describes.
void EncodeJson(const Type& type, const value::Value& object, std::string& out, Marks* marks = nullptr,
                bool* escaped = nullptr);
// The same for who keeps the object: with what its wire form tells apart and its JSON does not, where objects of the
// type are stored in that. Strings of bytes that are set and empty stay where JSON leaves them out, null among a map's
// strings of bytes, which JSON shows as an empty one, is written as `[]`, which Decode reads as that, and a zero time
// that is set, which JSON shows as null, as a time. Sets `escaped` where there is any of it.
void EncodeStored(const Type& type, const value::Value& object, std::string& out, Marks* marks, bool* escaped);

// JSON inside an object that no schema describes (runtime.RawExtension, FieldsV1): members in their order, numbers as
// they were written.
void AppendRawJson(const value::Value& v, std::string& out);
// A runtime.RawExtension as it was sent (Value::source()), for white space and escapes make it another one: but line
// ends are written as spaces, so that an object stays on one line. Whether it is another than AppendRawJson writes.
bool AppendRawExtension(const value::Value& v, std::string& out);
// The same as JSON answers show it: without white space, and with the characters escaped that HTML knows.
void AppendShownRawExtension(const value::Value& v, std::string& out);
// JSON text so. `json` is a document.
void AppendCompactJson(std::string_view json, std::string& out);

}  // namespace schema
