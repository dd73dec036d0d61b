// Respond: answers made of a JSON document, in the negotiated type, and answers to errors. Called by verbs, endpoints
// and the Router on the request's thread. Every function gives a complete Response; headers that all answers share are
// added by the pipeline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "base/slice.h"
#include "exchange/exchange.h"
#include "handlers/negotiation.h"
#include "schema/schema.h"

namespace handlers {

// A whole API object as compact JSON, without a line feed at the end.
struct Document {
  std::vector<base::Slice> json;
  const schema::Type* type = nullptr;  // for protobuf; null where there is none
  std::string api_version;             // for protobuf
  std::string_view kind;
};
Document MakeDocument(std::string json, const schema::Type* type, std::string_view api_version, std::string_view kind);

exchange::Response Respond(int status, const Output& output, Document document);

// A Status in the type that the request can read; plain text where the error says so.
exchange::Response RespondError(const exchange::Exchange& exchange, const api::Error& error, bool cbor = false);
exchange::Response RespondErrorAs(const Output& output, const api::Error& error);

exchange::Response RespondText(int status, std::string_view content_type, std::string text);

// The bytes of `document` in a form; fails (500) where the type has no such form.
api::Result<std::string> Encode(const Output& output, const Document& document);

}  // namespace handlers
