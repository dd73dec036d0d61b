// Any text is an address (or a range) or a refusal, in both readings; what is one is one again by its text, and what
// the strict reading takes the loose one takes too, but for zones.
#include <cstdint>
#include <cstdlib>

#include "api/ip_address.h"

namespace {

void CheckAddress(std::string_view text) {
  const auto loose = api::IpAddress::ParseLoosely(text);
  const auto strict = api::IpAddress::ParseStrictly(text);
  if (strict && !text.contains('%') && !loose) std::abort();
  if (strict && !api::IpAddress::ParseStrictly(strict->strict_text())) std::abort();
  if (!loose) return;
  const auto again = api::IpAddress::ParseStrictly(loose->text());
  if (!again || !(*again == *loose)) std::abort();
  if (loose->DistanceTo(*loose) != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckAddress(text);
  const auto range = api::IpPrefix::ParseLoosely(text);
  if (range && !range->Contains(range->first())) std::abort();
  const auto strict = api::IpPrefix::ParseStrictly(text);
  if (strict && !range) std::abort();
  return 0;
}
