#include "cel/library/strings.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/text.h"
#include "cel/library/numbers.h"
#include "value/utf8.h"

namespace cel::library {
namespace {

using base::Cat;
constexpr size_t kNowhere = std::string_view::npos;

std::unexpected<std::string> OutOfRange(int64_t index) { return std::unexpected(Cat("index out of range: ", index)); }

bool BeginsCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// The byte at which code point number `index` begins, or the end of the text for the one behind the last; kNowhere
// beyond that and below 0.
size_t ByteOf(std::string_view text, int64_t index) {
  if (index < 0) return kNowhere;
  // A code point has at least one byte, so what is too far is known at once.
  if (static_cast<uint64_t>(index) > text.size()) return kNowhere;
  size_t at = 0;
  for (int64_t left = index; left > 0; --left) {
    if (at == text.size()) return kNowhere;
    ++at;
    while (at < text.size() && !BeginsCodePoint(text[at])) ++at;
  }
  return at;
}

// The size in bytes of the code point at the front of `text`, which is not empty.
size_t FirstSize(std::string_view text) {
  size_t size = 1;
  while (size < text.size() && !BeginsCodePoint(text[size])) ++size;
  return size;
}

size_t Find(std::string_view text, std::string_view part, size_t from = 0) {
  if (from > text.size()) return kNowhere;
  const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? kNowhere : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

// Long parts are looked for in the reversed text, so that the time stays linear.
size_t FindLast(std::string_view text, std::string_view part) {
  if (part.size() <= 16) return text.rfind(part);
  const std::string backwards(text.rbegin(), text.rend()), part_backwards(part.rbegin(), part.rend());
  const size_t found = Find(backwards, part_backwards);
  return found == kNowhere ? found : text.size() - found - part.size();
}

bool IsSpace(uint32_t code) {
  return (code >= '\t' && code <= '\r') || code == ' ' || code == 0x85 || code == 0xa0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
         code == 0x3000;
}

template <class Change>
std::string_view Changed(value::Arena& arena, std::string_view text, char first, char last, Change change) {
  const auto concerned = [&](char c) { return c >= first && c <= last; };
  if (std::ranges::none_of(text, concerned)) return text;
  char* made = arena.AllocateArray<char>(text.size());
  std::ranges::transform(text, made, [&](char c) { return concerned(c) ? change(c) : c; });
  return {made, text.size()};
}

// Writes pieces one after the other into memory that was counted before.
class Pieces {
 public:
  Pieces(value::Arena& arena, size_t size) : begin_(arena.AllocateArray<char>(size)), end_(begin_) {}
  void Add(std::string_view piece) {
    if (!piece.empty()) std::memcpy(end_, piece.data(), piece.size());
    end_ += piece.size();
  }
  std::string_view text() const { return {begin_, static_cast<size_t>(end_ - begin_)}; }

 private:
  char* begin_;
  char* end_;
};

// How often `from` stands in `text`, at most `most` (where that is not negative).
uint64_t Count(std::string_view text, std::string_view from, int64_t most) {
  const uint64_t limit = most < 0 ? ~uint64_t{0} : static_cast<uint64_t>(most);
  if (from.empty()) return std::min(limit, static_cast<uint64_t>(CodePoints(text)) + 1);
  uint64_t count = 0;
  for (size_t at = 0; count < limit; ++count) {
    at = Find(text, from, at);
    if (at == kNowhere) break;
    at += from.size();
  }
  return count;
}

// What Go's %v shows of a value that is no string, as far as it is no accident of its memory.
std::string Shown(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
      return value.AsBool() ? "true" : "false";
    case ValueKind::kInt:
      return Cat(value.AsInt());
    case ValueKind::kUint:
      return Cat(value.AsUint());
    case ValueKind::kDouble:
      return FormatDouble(value.AsDouble());
    case ValueKind::kError:
      return std::string(value.text());
    default:
      return std::string(TypeName(value));
  }
}

}  // namespace

Outcome<std::string_view> CharAt(std::string_view text, int64_t index) {
  const size_t at = ByteOf(text, index);
  if (at == kNowhere) return OutOfRange(index);
  if (at == text.size()) return "";
  return text.substr(at, FirstSize(text.substr(at)));
}

Outcome<std::string_view> Substring(std::string_view text, int64_t start) {
  const size_t at = ByteOf(text, start);
  if (at == kNowhere) return OutOfRange(start);
  return text.substr(at);
}

Outcome<std::string_view> Substring(std::string_view text, int64_t start, int64_t end) {
  if (start > end) {
    return std::unexpected(Cat("invalid substring range. start: ", start, ", end: ", end));
  }
  const size_t from = ByteOf(text, start);
  if (from == kNowhere) return OutOfRange(start);
  const size_t size = ByteOf(text.substr(from), end - start);
  if (size == kNowhere) return OutOfRange(end);
  return text.substr(from, size);
}

Outcome<int64_t> IndexOf(std::string_view text, std::string_view part, int64_t offset) {
  if (part.empty()) return offset;
  if (offset < 0) return OutOfRange(offset);
  const size_t from = ByteOf(text, offset);
  if (from == kNowhere) return -1;
  const size_t found = Find(text, part, from);
  if (found == kNowhere) return -1;
  return offset + CodePoints(text.substr(from, found - from));
}

Outcome<int64_t> LastIndexOf(std::string_view text, std::string_view part) {
  if (part.empty()) return CodePoints(text);
  if (text.empty()) return OutOfRange(-1);
  const size_t found = FindLast(text, part);
  return found == kNowhere ? -1 : CodePoints(text.substr(0, found));
}

Outcome<int64_t> LastIndexOf(std::string_view text, std::string_view part, int64_t offset) {
  if (part.empty()) return offset;
  if (offset < 0) return OutOfRange(offset);
  const size_t last = ByteOf(text, offset);
  if (last == kNowhere || last == text.size()) return -1;
  const size_t found = FindLast(text.substr(0, last + part.size()), part);
  return found == kNowhere ? -1 : CodePoints(text.substr(0, found));
}

bool Contains(std::string_view text, std::string_view part) { return Find(text, part) != kNowhere; }

std::string_view Trim(std::string_view text) {
  while (!text.empty()) {
    const value::Rune rune = value::DecodeRune(text);
    if (!IsSpace(rune.code)) break;
    text.remove_prefix(rune.size);
  }
  while (!text.empty()) {
    size_t at = text.size() - 1;
    while (at > 0 && !BeginsCodePoint(text[at])) --at;
    if (!IsSpace(value::DecodeRune(text.substr(at)).code)) break;
    text = text.substr(0, at);
  }
  return text;
}

std::string_view LowerAscii(value::Arena& arena, std::string_view text) {
  return Changed(arena, text, 'A', 'Z', [](char c) { return static_cast<char>(c + ('a' - 'A')); });
}

std::string_view UpperAscii(value::Arena& arena, std::string_view text) {
  return Changed(arena, text, 'a', 'z', [](char c) { return static_cast<char>(c - ('a' - 'A')); });
}

Outcome<std::string_view> Replace(value::Arena& arena, std::string_view text, std::string_view from,
                                  std::string_view to, int64_t most) {
  if (from == to) return text;
  const uint64_t count = Count(text, from, most);
  if (count == 0) return text;
  const uint64_t kept = text.size() - count * from.size();
  if (!to.empty() && count > (kMostResultBytes - std::min<uint64_t>(kMostResultBytes, kept)) / to.size()) {
    return TooLong();
  }
  Pieces made(arena, kept + count * to.size());
  std::string_view rest = text;
  for (uint64_t i = 0; i < count; ++i) {
    size_t at = 0;
    if (!from.empty()) {
      at = Find(rest, from);
    } else if (i > 0) {
      at = FirstSize(rest);
    }
    made.Add(rest.substr(0, at));
    made.Add(to);
    rest.remove_prefix(at + from.size());
  }
  made.Add(rest);
  return made.text();
}

Value Split(value::Arena& arena, std::string_view text, std::string_view separator, int64_t most) {
  if (most == 0 || (separator.empty() && text.empty())) return Value::List({});
  // Between the parts stands one separator less than there are parts.
  const uint64_t separators = separator.empty() ? std::min(most < 0 ? ~uint64_t{0} : static_cast<uint64_t>(most) - 1,
                                                           static_cast<uint64_t>(CodePoints(text)) - 1)
                                                : Count(text, separator, most < 0 ? -1 : most - 1);
  const std::span<Value> parts(arena.AllocateArray<Value>(separators + 1), separators + 1);
  for (uint64_t i = 0; i < separators; ++i) {
    const size_t end = separator.empty() ? FirstSize(text) : Find(text, separator);
    parts[i] = Value::String(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  parts.back() = Value::String(text);
  return Value::List(parts);
}

Outcome<std::string_view> Join(value::Arena& arena, const Value& list, std::string_view separator) {
  const uint32_t count = list.Count();
  uint64_t size = count == 0 ? 0 : uint64_t{count - 1} * separator.size();
  for (uint32_t i = 0; i < count; ++i) {
    const Value item = list.At(i);
    if (!item.is(ValueKind::kString)) return std::unexpected(Cat("join: invalid input: ", Shown(item)));
    size += item.text().size();
    if (size > kMostResultBytes) return TooLong();
  }
  if (size > kMostResultBytes) return TooLong();
  Pieces made(arena, size);
  for (uint32_t i = 0; i < count; ++i) {
    if (i > 0) made.Add(separator);
    made.Add(list.At(i).text());
  }
  return made.text();
}

std::string_view Quote(value::Arena& arena, std::string_view text) {
  constexpr std::string_view kPlain = "\a\b\f\n\r\t\v\\\"", kEscape = "abfnrtv\\\"";
  std::string made = "\"";
  made.reserve(text.size() + 2);
  std::string mended;
  if (!value::IsValidUtf8(text)) {
    value::AppendMendedUtf8(mended, text);
    text = mended;
  }
  for (const char c : text) {
    const size_t escape = kPlain.find(c);
    if (escape == kPlain.npos) {
      made += c;
    } else {
      made += {'\\', kEscape[escape]};
    }
  }
  return arena.CopyString(made += '"');
}

}  // namespace cel::library
