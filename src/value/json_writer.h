// A Value as JSON text, byte for byte as Go's encoding/json writes it: what the API's clients compare and sign.
//
// Strings: `<` `>` `&`, U+2028/2029, quotes, backslashes and control characters are escaped, bytes that are no UTF-8
// become \ufffd unless the caller wants them back. Numbers: integers plain, others the shortest text that reads back.
// Byte strings become base64. Nothing ends with a newline. Each function appends to `out`. Pure, any thread. The writer
// recurses as deep as the tree: readers bound that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "value/value.h"

namespace value {

enum class KeyOrder : uint8_t {
  kDocument,  // members as they stand
  kSorted,    // by bytes, the last of duplicates only: as Go writes a map
};

// With `escaped`, bytes that are no UTF-8 become \udc80 to \udcff, surrogates without a partner (PEP 383), which
// JsonLimits::escaped_bytes reads back as the bytes; it is set where there are any, else left as it is.
void WriteJson(const Value& v, std::string& out, KeyOrder order = KeyOrder::kDocument, bool* escaped = nullptr);
std::string ToJson(const Value& v, KeyOrder order = KeyOrder::kDocument);

// `text` as a JSON string with its quotes; `escaped` as of WriteJson.
void AppendJsonString(std::string& out, std::string_view text, bool* escaped = nullptr);
// As AppendJsonString, for text that needs no look: the caller knows that it is printable ASCII without quotes, `\`,
// `<`, `>`, `&`.
inline void AppendCleanJsonString(std::string& out, std::string_view text) {
  out.push_back('"');
  out.append(text);
  out.push_back('"');
}
void AppendJsonInt(std::string& out, int64_t number);
void AppendJsonDouble(std::string& out, double number);  // finite
// Standard base64 with padding, without quotes.
void AppendBase64(std::string& out, std::string_view bytes);

// Appends `json`, which must be valid JSON, laid out as the API does for people (`?pretty=1`): two spaces a level, one
// member or item a line, `{}` and `[]` for empty ones. What is so deep that its indents would outgrow the rest is left
// in one line.
void IndentJson(std::string_view json, std::string& out);
// Appends `json`, which must be valid JSON, without its white space and with `<` `>` `&` U+2028/2029 escaped: what
// becomes of raw JSON inside an object when the API writes it.
void CompactJson(std::string_view json, std::string& out);

}  // namespace value
