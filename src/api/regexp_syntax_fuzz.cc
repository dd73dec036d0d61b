// Any text is a regular expression or refused in words that name a part of it.
#include <cstdint>
#include <cstdlib>

#include "api/regexp_syntax.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto error = api::RegexpError(text);
  if (!error) return 0;
  const size_t about = error->find(": `", sizeof("error parsing regexp:"));
  if (!error->starts_with("error parsing regexp: ") || about == std::string::npos || !error->ends_with('`'))
    std::abort();
  if (!text.contains(std::string_view(*error).substr(about + 3, error->size() - about - 4))) std::abort();
  return 0;
}
