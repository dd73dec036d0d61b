// JSON: the fast reader and the exact one agree on every text, and what is read comes back the same.
#include <cstdint>
#include <cstdlib>

#include "value/json_reader.h"
#include "value/json_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  value::Arena arena;
  auto read = value::ReadJson(text, arena);
  if (read.has_value() == value::FindJsonError(text).has_value()) std::abort();
  if (!read) return 0;
  std::string once = value::ToJson(*read);
  std::string indented, compact;
  value::IndentJson(once, indented);
  value::CompactJson(indented, compact);
  auto again = value::ReadJson(compact, arena);
  if (!again || value::ToJson(*again) != once) std::abort();
  return 0;
}
