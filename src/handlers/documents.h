// Documents: text of any of the API's self-describing encodings to a tree and back. Where handlers meet the codecs of
// value/. Pure functions, any thread; trees point into the text they were read from.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "handlers/negotiation.h"
#include "schema/schema.h"
#include "value/value.h"

namespace handlers {

// JSON, YAML or CBOR. kInvalid with the API's text: of JSON the syntax error alone. YAML's duplicate keys are gone
// after reading: they are added to `duplicates` (where given) as strict reading lists them.
base::Result<value::Value> ReadDocument(Encoding encoding, std::string_view text, value::Arena& arena,
                                        std::string* yaml_duplicates = nullptr);

// Appends `json` (valid, compact) in `encoding`, which is not protobuf. CBOR learns from `type`, where there is one,
// which strings are bytes.
base::Result<> WriteDocument(Encoding encoding, const schema::Type* type, std::string_view json, std::string& out);

}  // namespace handlers
