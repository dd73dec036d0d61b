// Any two texts (a zero byte between them) are a pair or a reason why not, and leave OpenSSL's list of errors as it
// was.
#include <openssl/err.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "resources/core/key_pair.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t between = text.find('\0');
  const std::string_view key = between == text.npos ? std::string_view() : text.substr(between + 1);
  (void)resources::core::WhyNoKeyPair(text.substr(0, between), key);
  if (ERR_peek_error() != 0) std::abort();
  return 0;
}
