#include "value/base64_url.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "value/json_writer.h"

namespace value {
namespace {

std::optional<uint32_t> Digit(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<uint32_t>(c - 'a') + 26;
  if (base::IsDigit(c)) return static_cast<uint32_t>(c - '0') + 52;
  if (c == '-' || c == '_') return c == '-' ? 62 : 63;
  return std::nullopt;
}

}  // namespace

std::string EncodeBase64Url(std::string_view bytes) {
  std::string text;
  AppendBase64(text, bytes);
  text.erase(std::min(text.find('='), text.size()));
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (char c : text) {
    const std::optional<uint32_t> digit = Digit(c);
    if (!digit) return std::nullopt;
    bits = bits << 6 | *digit;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFF);
  }
  if (held >= 6) return std::nullopt;
  return bytes;
}

}  // namespace value
