#include "registry/versions.h"

#include <algorithm>
#include <charconv>

#include "api/quote.h"
#include "base/text.h"

namespace registry {

std::expected<uint64_t, std::string> ParseUnsigned(std::string_view text) {
  if (text.empty()) return 0;
  if (!std::ranges::all_of(text, base::IsDigit)) {
    return std::unexpected(base::Cat("strconv.ParseUint: parsing ", api::Quote(text), ": invalid syntax"));
  }
  uint64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
    return std::unexpected(base::Cat("strconv.ParseUint: parsing ", api::Quote(text), ": value out of range"));
  }
  return number;
}

api::Result<uint64_t> ParseResourceVersion(std::string_view text) {
  auto number = ParseUnsigned(text);
  if (number) return *number;
  return api::Fail(
      api::Generic(500, base::Cat("resourceVersion: Invalid value: ", api::Quote(text), ": ", number.error())));
}

}  // namespace registry
