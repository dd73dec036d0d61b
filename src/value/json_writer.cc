#include "value/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "value/number.h"
#include "value/utf8.h"

namespace value {

namespace {

constexpr std::array<bool, 256> MakeNeedsLook() {
  std::array<bool, 256> look{};
  for (int c = 0; c < 256; ++c) {
    look[c] = c < 0x20 || c >= 0x80 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&';
  }
  return look;
}
constexpr std::array<bool, 256> kNeedsLook = MakeNeedsLook();

// The length of the longest prefix that goes into a JSON string as it is: ASCII without anything to escape.
size_t CleanPrefix(std::string_view text) {
  size_t at = 0;
#if defined(__SSE2__)
  const __m128i space = _mm_set1_epi8(0x20);
  for (; text.size() - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    auto is = [bytes](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    // Signed: control characters and bytes beyond ASCII are both below the space.
    __m128i stops = _mm_or_si128(_mm_cmplt_epi8(bytes, space), _mm_or_si128(is('"'), is('\\')));
    stops = _mm_or_si128(stops, _mm_or_si128(is('&'), _mm_or_si128(is('<'), is('>'))));
    if (int mask = _mm_movemask_epi8(stops))
      return at + static_cast<size_t>(__builtin_ctz(static_cast<unsigned>(mask)));
  }
#endif
  while (at < text.size() && !kNeedsLook[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

constexpr char kHex[] = "0123456789abcdef";
constexpr std::string_view kReplacement = "\\ufffd";

void AppendEscapedAscii(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  out += "\\u00";
  out += kHex[c >> 4];
  out += kHex[c & 15];
}

// Appends the rune at the front of `text`, which is no clean ASCII, and returns the bytes it took.
size_t AppendOddRune(std::string& out, std::string_view text, bool* escaped) {
  auto c = static_cast<unsigned char>(text[0]);
  if (c < 0x80) {
    AppendEscapedAscii(out, c);
    return 1;
  }
  Rune rune = DecodeRune(text);
  if (!rune.valid && escaped != nullptr) {
    *escaped = true;
    out += "\\udc";
    out += kHex[c >> 4];
    out += kHex[c & 15];
  } else if (!rune.valid) {
    out += kReplacement;
  } else if (rune.code == 0x2028 || rune.code == 0x2029) {
    out += rune.code == 0x2028 ? "\\u2028" : "\\u2029";
  } else {
    out.append(text.substr(0, rune.size));
  }
  return rune.size;
}

class Writer {
 public:
  Writer(std::string& out, KeyOrder order, bool* escaped) : out_(out), order_(order), escaped_(escaped) {}

  void Write(const Value& v) {
    switch (v.kind()) {
      case Kind::kNull:
        out_ += "null";
        break;
      case Kind::kBool:
        out_ += v.AsBool() ? "true" : "false";
        break;
      case Kind::kInt:
        AppendJsonInt(out_, v.AsInt());
        break;
      case Kind::kDouble:
        // A literal beyond every double stays as it stood.
        if (std::isfinite(v.AsDouble())) {
          AppendJsonDouble(out_, v.AsDouble());
        } else {
          out_ += v.literal();
        }
        break;
      case Kind::kString:
        AppendJsonString(out_, v.AsString(), escaped_);
        break;
      case Kind::kBytes:
        out_ += '"';
        AppendBase64(out_, v.AsString());
        out_ += '"';
        break;
      case Kind::kArray:
        WriteArray(v);
        break;
      case Kind::kObject:
        WriteObject(v);
        break;
    }
  }

 private:
  void WriteArray(const Value& v) {
    char separator = '[';
    for (const Value& item : v.items()) {
      out_ += separator;
      separator = ',';
      Write(item);
    }
    out_ += v.empty() ? "[]" : "]";
  }

  void WriteObject(const Value& v) {
    if (v.empty()) {
      out_ += "{}";
      return;
    }
    char separator = '{';
    auto write = [&](const Member& member) {
      out_ += separator;
      separator = ',';
      AppendJsonString(out_, member.key, escaped_);
      out_ += ':';
      Write(member.value);
    };
    if (order_ == KeyOrder::kDocument) {
      for (const Member& member : v.members()) write(member);
    } else {
      WriteSorted(v.members(), write);
    }
    out_ += '}';
  }

  template <class Write>
  static void WriteSorted(std::span<Member> members, Write write) {
    auto out_of_order = [](const Member& a, const Member& b) { return a.key >= b.key; };
    if (std::ranges::adjacent_find(members, out_of_order) == members.end()) {
      for (const Member& member : members) write(member);
      return;
    }
    std::vector<const Member*> sorted;
    sorted.reserve(members.size());
    for (const Member& member : members) sorted.push_back(&member);
    std::ranges::sort(sorted,
                      [](const Member* a, const Member* b) { return a->key != b->key ? a->key < b->key : a < b; });
    for (size_t i = 0; i < sorted.size(); ++i) {
      bool last_of_key = i + 1 == sorted.size() || sorted[i + 1]->key != sorted[i]->key;
      if (last_of_key) write(*sorted[i]);
    }
  }

  std::string& out_;
  KeyOrder order_;
  bool* escaped_;
};

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The end of the string whose opening quote stands at `at`: the place behind its closing quote.
size_t StringEnd(std::string_view json, size_t at) {
  ++at;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

// Appends a JSON string, escapes and all, with what HTML would misread escaped.
void AppendHtmlSafe(std::string& out, std::string_view text) {
  while (!text.empty()) {
    size_t odd = text.find_first_of("<>&\xE2");
    out.append(text.substr(0, odd));
    if (odd == text.npos) return;
    text.remove_prefix(odd);
    bool separator = text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9");
    if (separator) {
      text.remove_prefix(AppendOddRune(out, text, nullptr));
    } else if (text[0] == '\xE2') {
      out.push_back(text[0]);
      text.remove_prefix(1);
    } else {
      AppendEscapedAscii(out, static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
    }
  }
}

}  // namespace

void WriteJson(const Value& v, std::string& out, KeyOrder order, bool* escaped) {
  Writer(out, order, escaped).Write(v);
}

std::string ToJson(const Value& v, KeyOrder order) {
  std::string out;
  WriteJson(v, out, order);
  return out;
}

void AppendJsonString(std::string& out, std::string_view text, bool* escaped) {
  size_t clean = CleanPrefix(text);
  if (clean == text.size()) {  // nearly always
    const size_t at = out.size(), end = at + clean + 2;
    out.resize_and_overwrite(end, [&](char* to, size_t) {  // libstdc++ 12 may give a greater size
      to[at] = '"';
      if (clean > 0) std::memcpy(to + at + 1, text.data(), clean);
      to[end - 1] = '"';
      return end;
    });
    return;
  }
  out.push_back('"');
  for (;; clean = CleanPrefix(text)) {
    out.append(text.data(), clean);
    if (clean == text.size()) break;
    text.remove_prefix(clean);
    text.remove_prefix(AppendOddRune(out, text, escaped));
  }
  out.push_back('"');
}

void AppendJsonInt(std::string& out, int64_t number) {
  char buffer[24];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), number);
  out.append(buffer, end);
}

void AppendJsonDouble(std::string& out, double number) {
  char buffer[kMaxDoubleText];
  out.append(FormatDouble(number, buffer));
}

void AppendBase64(std::string& out, std::string_view bytes) {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data() + start;
  auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])); };
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    *to++ = kAlphabet[group >> 18];
    *to++ = kAlphabet[group >> 12 & 63];
    *to++ = kAlphabet[group >> 6 & 63];
    *to++ = kAlphabet[group & 63];
  }
  size_t rest = bytes.size() - i;
  if (rest == 0) return;
  uint32_t group = byte(i) << 16 | (rest == 2 ? byte(i + 1) << 8 : 0);
  *to++ = kAlphabet[group >> 18];
  *to++ = kAlphabet[group >> 12 & 63];
  if (rest == 2) *to = kAlphabet[group >> 6 & 63];
}

void IndentJson(std::string_view json, std::string& out) {
  // Spaces that it may be indented by: so many, and this times what else is in it.
  constexpr size_t kAllowance = 4 << 20, kShare = 8;
  const size_t start = out.size();
  size_t depth = 0, indented = 0;
  bool opened = false;  // the last thing written was an opening bracket
  auto new_line = [&] {
    if (indented + depth * 2 > kAllowance + kShare * (out.size() - start - indented)) return;
    indented += depth * 2;
    out.push_back('\n');
    out.append(depth * 2, ' ');
  };
  for (size_t at = 0; at < json.size();) {
    char c = json[at];
    if (IsSpace(c)) {
      ++at;
      continue;
    }
    bool closes = c == '}' || c == ']';
    if (closes) {
      --depth;
      if (!opened) new_line();
    } else if (opened) {
      new_line();
    }
    opened = c == '{' || c == '[';
    if (opened) ++depth;
    if (c == '"') {
      size_t end = StringEnd(json, at);
      out.append(json.substr(at, end - at));
      at = end;
      continue;
    }
    out.push_back(c);
    ++at;
    if (c == ':') out.push_back(' ');
    if (c == ',') new_line();
  }
}

void CompactJson(std::string_view json, std::string& out) {
  for (size_t at = 0; at < json.size();) {
    if (json[at] != '"') {
      if (!IsSpace(json[at])) out.push_back(json[at]);
      ++at;
      continue;
    }
    size_t end = StringEnd(json, at);
    AppendHtmlSafe(out, json.substr(at, end - at));
    at = end;
  }
}

}  // namespace value
