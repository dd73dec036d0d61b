// YAML: no text breaks the reader, and what it reads comes back the same after being written.
#include <cstdint>
#include <cstdlib>

#include "value/yaml_reader.h"
#include "value/yaml_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  value::Arena arena;
  std::string duplicates, written;
  auto read = value::ReadYaml(text, arena, &duplicates, {.max_depth = 200, .max_scan_work = 1'000'000});
  if (!read) return 0;
  value::WriteYaml(*read, written);
  if (written.find("<<") != written.npos) return 0;  // written plain, as the server does, and read as a merge key
  auto again = value::ReadYaml(written, arena);
  if (!again || !value::Equal(*read, *again)) std::abort();
  return 0;
}
