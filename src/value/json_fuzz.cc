// JSON: the fast reader and the exact one agree on every text, what is read comes back the same, and so do bytes that
// were escaped.
#include <cstdint>
#include <cstdlib>

#include "value/json_reader.h"
#include "value/json_writer.h"
#include "value/utf8.h"

namespace {

// Any bytes as a string, escaped and read back.
void CheckEscapedBytes(std::string_view bytes, value::Arena& arena) {
  std::string json;
  bool escaped = false;
  value::WriteJson(value::Value::String(bytes), json, value::KeyOrder::kDocument, &escaped);
  const auto read = value::ReadJson(json, arena, {.escaped_bytes = true});
  if (!read || read->AsString() != bytes || escaped == value::IsValidUtf8(bytes)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  value::Arena arena;
  CheckEscapedBytes(text, arena);
  auto read = value::ReadJson(text, arena);
  if (read.has_value() == value::FindJsonError(text).has_value()) std::abort();
  if (!read) return 0;
  std::string once = value::ToJson(*read);
  std::string indented, compact;
  value::IndentJson(once, indented);
  value::CompactJson(indented, compact);
  auto again = value::ReadJson(compact, arena);
  if (!again) std::abort();
  const std::string twice = value::ToJson(*again);
  // A float that underflows to minus zero is written "-0", which reads as the integer 0, as Go has it.
  if (twice != once && !once.contains("-0")) std::abort();
  const auto settled = value::ReadJson(twice, arena);
  if (!settled || value::ToJson(*settled) != twice) std::abort();
  return 0;
}
