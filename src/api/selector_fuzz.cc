// Any text is a selector or a refusal; what is a selector prints as one that means the same.
#include <cstdint>
#include <cstdlib>

#include "api/selector.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto labels = api::LabelSelector::Parse(text)) {
    const std::string printed = labels->text();
    const auto again = api::LabelSelector::Parse(printed);
    if (!again || again->text() != printed) std::abort();
    labels->Matches([](std::string_view) { return nullptr; });
  }
  if (const auto fields = api::FieldSelector::Parse(text)) {
    fields->Matches([](std::string_view) { return std::string_view(); });
  }
  return 0;
}
