// Decoding against a schema: from a document as a client sent it to the canonical tree that everything above works on.
//
// The canonical tree of a typed object: members in the order of the schema (inline ones in their place), each key once; a field is present
// only where Go's struct would differ from its zero value (pointers: where set). Encoders add what the API writes nevertheless.
// Quantities, times and int-or-strings are in their canonical text. The tree shares strings with the input document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "schema/schema.h"
#include "value/value.h"

namespace schema {

struct Findings {
  std::vector<std::string> unknown;    // `unknown field "spec.foo"`, in document order with
  std::vector<std::string> duplicate;  // `duplicate field "spec.foo"`
  std::vector<std::string> in_order;   // both, as strict decoding lists them
};

// `document` (JSON, YAML or CBOR read into a tree, duplicates and all) as a `type`. A wrong value gives the real server's text, without its
// "X in version Y cannot be handled as a Z:" prefix: `json: cannot unmarshal string into Go struct field ...`.
// Unknown members are dropped; where `findings` is given they and duplicate keys are listed.
api::Result<value::Value> Decode(const Type& type, const value::Value& document, value::Arena& arena, Findings* findings);

// The message (without envelope) of `type`. Unknown wire fields are skipped. kInvalid texts as the real server's.
api::Result<value::Value> DecodeWire(const Type& type, std::string_view message, value::Arena& arena);

}  // namespace schema
