// base64 for URLs without padding, as tokens and their keys are written. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace value {

std::string EncodeBase64Url(std::string_view bytes);
// None where a character is of another alphabet (padding too) or left over.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace value
