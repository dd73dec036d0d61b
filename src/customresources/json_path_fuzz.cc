// Any path over any document, a line each: it is read or refused, and what it finds is found in bounded time.
#include <cstdint>
#include <string_view>

#include "customresources/json_path.h"
#include "value/json_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t line = all.find('\n');
  const std::string_view text = all.substr(0, line);
  const auto path = customresources::JsonPath::Parse(text);
  if (!path || line == std::string_view::npos) return 0;
  value::Arena arena;
  const auto document = value::ReadJson(all.substr(line + 1), arena, {.max_depth = 200});
  if (!document) return 0;
  if (const auto found = path->Find(*document)) {
    for (const value::Value& v : *found) (void)customresources::PrintJsonPathResult(v);
  }
  return 0;
}
