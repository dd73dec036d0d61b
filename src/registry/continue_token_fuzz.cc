// Tokens are the client's: any text decodes or is refused, and what decodes survives a round trip.
#include <cstdlib>

#include "registry/continue_token.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto token = registry::DecodeContinueToken(text)) {
    auto again = registry::DecodeContinueToken(registry::EncodeContinueToken(*token));
    if (!again || again->revision != token->revision || again->start != token->start) std::abort();
  }
  // The document behind the base64, which random text rarely is.
  registry::ContinueToken made{1, std::string(text)};
  (void)registry::DecodeContinueToken(registry::EncodeContinueToken(made));
  return 0;
}
