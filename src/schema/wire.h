// The protobuf form of canonical trees (schema/decode.h): messages by the schema's wire numbers, and the envelope
// around a top-level object. Called by the handlers for bodies and answers and by engines that keep the wire form. Pure
// functions, any thread.
//
// Encoding is deterministic, to the byte as the real server's: ascending numbers, map entries by key, everything
// written that is no unset pointer, empty list or map. Decoding takes fields in any order, merges repeated messages,
// skips unknown fields; its errors are BadRequest with the real server's text. A decoded tree shares strings with the
// message. Bounds: messages nest at most kMaxDepth levels and are at most kMaxMessages, of which an empty one takes two
// bytes there and hundreds here; time and memory are linear in the message.
#pragma once

#include <string>
#include <string_view>

#include "api/error.h"
#include "schema/schema.h"
#include "value/value.h"

namespace schema {

// Appends the message of `object`, without envelope. apiVersion and kind of top-level kinds are not part of it.
void EncodeWire(const Type& type, const value::Value& object, std::string& out);

// The same of JSON that EncodeJson wrote (a stored object's bytes), without decoding in between: what a list as
// protobuf costs an item. Fails where `json` is no JSON; of JSON that nobody canonicalised it makes a message that says
// something else.
api::Result<> JsonToWire(const Type& type, std::string_view json, std::string& out);

// Appends `k8s\0` and runtime.Unknown around the message.
void EncodeEnvelope(const Type& type, std::string_view api_version, std::string_view kind, const value::Value& object,
                    std::string& out);
// The same around a message that is there already: for lists and watch events of encoded items.
void AppendEnvelope(std::string_view api_version, std::string_view kind, std::string_view message, std::string& out);

inline constexpr uint32_t kMaxMessages = 500'000;

// The message of `type` as a canonical tree; without kind and apiVersion.
api::Result<value::Value> DecodeWire(const Type& type, std::string_view message, value::Arena& arena);

struct Envelope {
  std::string_view api_version, kind, content_encoding, content_type;
  std::string_view message;
};

inline constexpr std::string_view kEnvelopePrefix{"k8s\0", 4};

// What `bytes` hold: views into them. Errors as the real server says them: "empty data", "unexpected EOF", ...
api::Result<Envelope> DecodeEnvelope(std::string_view bytes);

}  // namespace schema
