#include "value/utf8.h"

#include <cstring>

namespace value {

namespace {

bool IsContinuation(unsigned char c) { return (c & 0xC0) == 0x80; }

// What the first byte says: the length of the sequence and which second bytes it allows (neither overlong forms nor
// surrogates nor anything beyond U+10FFFF). Length 0: no sequence begins so.
struct Lead {
  uint32_t size;
  unsigned char low, high;
};

Lead LeadOf(unsigned char c) {
  if (c < 0x80) return {1, 0, 0};
  if (c < 0xC2) return {0, 0, 0};
  if (c < 0xE0) return {2, 0x80, 0xBF};
  if (c == 0xE0) return {3, 0xA0, 0xBF};
  if (c == 0xED) return {3, 0x80, 0x9F};
  if (c < 0xF0) return {3, 0x80, 0xBF};
  if (c == 0xF0) return {4, 0x90, 0xBF};
  if (c < 0xF4) return {4, 0x80, 0xBF};
  if (c == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Rune DecodeRune(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  Lead lead = LeadOf(first);
  if (lead.size == 1) return {first, 1, true};
  if (lead.size == 0 || text.size() < lead.size || byte(1) < lead.low || byte(1) > lead.high) return {};
  if (lead.size == 2) return {(first & 0x1Fu) << 6 | (byte(1) & 0x3Fu), 2, true};
  if (!IsContinuation(byte(2))) return {};
  if (lead.size == 3) return {(first & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu), 3, true};
  if (!IsContinuation(byte(3))) return {};
  return {(first & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu), 4, true};
}

size_t ValidUtf8Prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    uint64_t eight;
    if (text.size() - at >= sizeof(eight)) {
      std::memcpy(&eight, text.data() + at, sizeof(eight));
      if (!(eight & 0x8080808080808080u)) {
        at += sizeof(eight);
        continue;
      }
    }
    Rune rune = DecodeRune(text.substr(at));
    if (!rune.valid) return at;
    at += rune.size;
  }
  return at;
}

size_t EncodeRune(uint32_t code, char* to) {
  auto put = [to](size_t i, uint32_t byte) { to[i] = static_cast<char>(byte); };
  if (code < 0x80) {
    put(0, code);
    return 1;
  }
  if (code < 0x800) {
    put(0, 0xC0 | code >> 6);
    put(1, 0x80 | (code & 0x3F));
    return 2;
  }
  if (code < 0x10000) {
    put(0, 0xE0 | code >> 12);
    put(1, 0x80 | (code >> 6 & 0x3F));
    put(2, 0x80 | (code & 0x3F));
    return 3;
  }
  put(0, 0xF0 | code >> 18);
  put(1, 0x80 | (code >> 12 & 0x3F));
  put(2, 0x80 | (code >> 6 & 0x3F));
  put(3, 0x80 | (code & 0x3F));
  return 4;
}

void AppendRune(std::string& out, uint32_t code) {
  char bytes[4];
  out.append(bytes, EncodeRune(code, bytes));
}

void AppendMendedUtf8(std::string& out, std::string_view text) {
  while (!text.empty()) {
    size_t valid = ValidUtf8Prefix(text);
    out.append(text.substr(0, valid));
    if (valid == text.size()) return;
    AppendRune(out, kReplacementRune);
    text.remove_prefix(valid + 1);
  }
}

}  // namespace value
