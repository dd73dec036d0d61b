#include "value/quote.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace value {
namespace {

struct Range {
  uint32_t first, last;
};
// Code points from U+0080 on that Go does not call printable: controls, format characters, spaces other than U+0020,
// separators, surrogates, private use, non-characters.
constexpr Range kNotPrintable[] = {
    {0x80, 0xa0},     {0xad, 0xad},     {0x600, 0x605},   {0x61c, 0x61c},   {0x6dd, 0x6dd},   {0x70f, 0x70f},
    {0x1680, 0x1680}, {0x180e, 0x180e}, {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000},
    {0xd800, 0xf8ff}, {0xfdd0, 0xfdef}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff},
};

bool IsPrintable(uint32_t c) {
  if (c < 0x80) return c >= 0x20 && c != 0x7f;
  const Range* range = std::ranges::lower_bound(kNotPrintable, c, {}, &Range::last);
  return range == std::end(kNotPrintable) || c < range->first;
}

struct Rune {
  uint32_t code = 0;
  size_t size = 0;  // 0: no valid UTF-8 here
};

Rune ReadRune(std::string_view s) {
  auto at = [&](size_t i) { return static_cast<uint8_t>(s[i]); };
  uint8_t lead = at(0);
  if (lead < 0x80) return {lead, 1};
  size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || s.size() < size) return {};
  uint32_t code = lead & (0xff >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (at(i) & 0x3f);
  }
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, size};
}

void AppendHex(std::string& out, uint32_t code, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += "0123456789abcdef"[code >> shift & 15];
}

void AppendEscaped(std::string& out, uint32_t code) {
  static constexpr std::string_view kLetters = "abtnvfr";  // from 7 on
  if (code >= 7 && code <= 13) {
    out += '\\';
    out += kLetters[code - 7];
  } else if (code < 0x80) {
    out += "\\x";
    AppendHex(out, code, 2);
  } else if (code < 0x10000) {
    out += "\\u";
    AppendHex(out, code, 4);
  } else {
    out += "\\U";
    AppendHex(out, code, 8);
  }
}

}  // namespace

std::string Quote(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  while (!text.empty()) {
    Rune rune = ReadRune(text);
    if (rune.size == 0) {
      out += "\\x";
      AppendHex(out, static_cast<uint8_t>(text[0]), 2);
      text.remove_prefix(1);
      continue;
    }
    if (rune.code == '"' || rune.code == '\\') out += '\\';
    if (IsPrintable(rune.code)) {
      out += text.substr(0, rune.size);
    } else {
      AppendEscaped(out, rune.code);
    }
    text.remove_prefix(rune.size);
  }
  return out + '"';
}

}  // namespace value
