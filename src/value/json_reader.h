// JSON text to a Value: how every JSON request body, patch and stored object enters the server.
//
// Exactly as Go's decoder (and so the real server) reads: the same texts are refused with the same words, invalid UTF-8
// and lone surrogates become U+FFFD, numbers without point or exponent that fit are integers, every other number keeps
// its literal (an out-of-range one reads as infinite: the schema's reader refuses it), duplicate keys stay, in order.
//
// Ownership: strings without escapes, number literals and Value::source() point into `text`: the caller keeps it alive
// as long as the tree. Everything else is in the arena. Pure functions, any thread.
// Bounds: nesting at most `max_depth`, no recursion; the tree takes at most about 40 bytes per byte of text.
//
// One pass by hand, not simdjson: measured (json_bench.cc) this reader builds the tree of a 1 KiB ConfigMap or a 10 KiB
// Pod in a half of the time that simdjson's DOM needs to make its tape and ours from it, and it needs no padded copy of
// the text. The fast path only says that a text is wrong; FindJsonError then reads it again, byte by byte, for the
// exact words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace value {

inline constexpr uint32_t kMaxJsonDepth = 10000;
// Of a document that stands as text in one of another encoding, whose own containers are far less than the rest.
inline constexpr uint32_t kMaxEmbeddedDepth = 8000;

struct JsonLimits {
  uint32_t max_depth = kMaxJsonDepth;  // arrays and objects within each other; encoding/json's own bound
  bool escaped_bytes = false;          // `text` was written with WriteJson's `escaped`: have the bytes back
  bool keep_source = true;             // Value::source(); without it the tree says nothing of the text it came from
  bool only_spaced = false;  // keep_source of what has white space in it alone: the rest is as it would be written
};

// The one document in `text`. Fails with kInvalid and Go's text: "invalid character 'x' looking for beginning of
// value".
base::Result<Value> ReadJson(std::string_view text, Arena& arena, const JsonLimits& limits = {});

struct JsonSyntaxError {
  std::string message;
  size_t offset = 0;  // bytes read when the error showed, the offending one included
};

// The first syntax error of `text`, or nullopt if ReadJson takes it.
std::optional<JsonSyntaxError> FindJsonError(std::string_view text, const JsonLimits& limits = {});

}  // namespace value
