// What Go takes for a regular expression is one here too, and any text can be held against it: the expression is the
// first line.
#include <cstdint>
#include <cstdlib>

#include "api/regexp.h"
#include "api/regexp_syntax.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view pattern = all.substr(0, all.find('\n')), text = all.substr(pattern.size());
  const auto expression = api::Regexp::Compile(pattern);
  if (expression.has_value() == api::RegexpError(pattern).has_value()) std::abort();
  if (expression && expression->IsIn(text) != expression->IsIn(text)) std::abort();
  return 0;
}
