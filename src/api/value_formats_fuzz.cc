// Any text has a format or not, the same each time: the format is the first line.
#include <cstdint>
#include <cstdlib>

#include "api/value_formats.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t line = all.find('\n');
  if (line == std::string_view::npos) return 0;
  const std::string_view format = all.substr(0, line), text = all.substr(line + 1);
  if (!api::IsKnownFormat(format)) return 0;
  const bool has = api::HasFormat(format, text);
  if (has != api::HasFormat(format, text)) std::abort();
  return 0;
}
