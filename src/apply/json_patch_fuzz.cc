// Any two documents as document and patch: no crash, bounded work, and the document stays as it was.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "apply/json_patch.h"
#include "apply/merge_patch.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

// Input: the document, a newline, the patch.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  size_t newline = input.find('\n');
  if (newline == input.npos) return 0;
  value::Arena arena;
  base::Result<value::Value> document = value::ReadJson(input.substr(0, newline), arena);
  base::Result<value::Value> patch = value::ReadJson(input.substr(newline + 1), arena);
  if (!document || !patch) return 0;
  std::string before = value::ToJson(*document);
  (void)apply::ApplyMergePatch(arena, *document, *patch);
  if (patch->is_array()) (void)apply::ApplyJsonPatch(arena, *document, *patch);
  if (value::ToJson(*document) != before) std::abort();
  return 0;
}
