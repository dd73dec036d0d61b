// UTF-8 as Go's unicode/utf8 reads it: every codec judges and mends text by these rules. Pure functions, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace value {

inline constexpr uint32_t kReplacementRune = 0xFFFD;

struct Rune {
  uint32_t code = kReplacementRune;
  uint32_t size = 1;   // bytes it took
  bool valid = false;  // false: `code` is U+FFFD in place of one byte that begins no well-formed sequence
};

// The rune at the front of `text`, which must not be empty.
Rune DecodeRune(std::string_view text);

// The length of the longest prefix that is well-formed UTF-8.
size_t ValidUtf8Prefix(std::string_view text);
inline bool IsValidUtf8(std::string_view text) { return ValidUtf8Prefix(text) == text.size(); }

// Writes the bytes of `code` (at most U+10FFFF) to `to`, which has room for 4, and returns their number.
size_t EncodeRune(uint32_t code, char* to);
void AppendRune(std::string& out, uint32_t code);

// Appends `text` with each byte that belongs to no well-formed sequence replaced by U+FFFD.
void AppendMendedUtf8(std::string& out, std::string_view text);

}  // namespace value
