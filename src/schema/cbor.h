// CBOR bodies against a schema, and answers as CBOR: what the alpha gate CBORServingAndStorage adds to JSON. Called by
// the handlers.
//
// A body goes bytes -> document (here) -> canonical tree (schema/decode.h). All rules that CBOR has and JSON has not
// are judged here: duplicate keys are errors everywhere that is read, byte strings count as text, a field of bytes
// takes base64 or a tagged byte string, floats fit no integer field. Errors are BadRequest with the texts of the
// server's CBOR library, without what its serializer puts before them. Pure functions, any thread; bounds are
// value::CborLimits'.
#pragma once

#include <string>
#include <string_view>

#include "api/error.h"
#include "schema/schema.h"
#include "value/value.h"

namespace schema {

// The kind a body says it is, read leniently: the whole body must be well-formed and its top map without duplicates.
// Both empty for null and for a map without them. The strings are in the arena or in `bytes`.
struct CborKind {
  std::string_view api_version, kind;
};
api::Result<CborKind> ReadCborKind(std::string_view bytes, value::Arena& arena);

// The document of a body of `type`, in JSON's terms: schema::Decode takes it from there. Strings may point into
// `bytes`. `unknown`, where given, receives strict decoding's finding, of which there is at most one: `cbor: found
// unknown field at map element index 3`; "" if there is none.
api::Result<value::Value> ReadCbor(const Type& type, std::string_view bytes, value::Arena& arena, std::string* unknown);

// The document of a body without a built-in type (custom resources, patches): a map, or null. Byte strings are text,
// whole floats stay floats (their literal has a point), tagged times become RFC 3339.
api::Result<value::Value> ReadCborObject(std::string_view bytes, value::Arena& arena);

// Appends the CBOR of a JSON document that this server wrote, with the self-described mark. `type`, nullptr for a
// custom resource, tells which strings are bytes.
void JsonToCbor(const Type* type, std::string_view json, std::string& out);

}  // namespace schema
