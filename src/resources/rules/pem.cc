#include "resources/rules/pem.h"

#include <algorithm>

#include "schema/text_forms.h"

namespace resources {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "\n-----END ";
constexpr std::string_view kDashes = "-----";

// The line that `text` begins with, without white space at its end; `text` then begins after it.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text = text.substr(end == text.npos ? text.size() : end + 1);
  if (end != text.npos && line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return line;
}

std::optional<std::string> Decoded(std::string_view base64) {
  std::string compact(base64);
  std::erase_if(compact, [](char c) { return c == ' ' || c == '\t'; });
  std::string bytes;
  if (!schema::DecodeBase64(compact, bytes)) return std::nullopt;
  return bytes;
}

// The block whose end line begins at `end` of `text` (its line feed) and whose begin line is the last one before that.
// Where there is one, `after` becomes what follows it.
std::optional<PemBlock> ReadBlock(std::string_view text, size_t end, std::string_view& after) {
  const size_t begin = text.substr(0, end).rfind(kBegin);
  if (begin == text.npos || (begin > 0 && text[begin - 1] != '\n')) return std::nullopt;
  const char* const end_line = text.data() + end;
  std::string_view rest = text.substr(begin + kBegin.size());
  PemBlock block;
  block.type = TakeLine(rest);
  if (!block.type.ends_with(kDashes)) return std::nullopt;
  block.type.remove_suffix(kDashes.size());
  while (true) {
    std::string_view next = rest;
    if (!TakeLine(next).contains(':')) break;
    block.has_headers = true;
    rest = next;
  }
  if (block.has_headers && rest.data() > end_line) return std::nullopt;
  std::string_view trailer = text.substr(end + kEnd.size());
  if (!trailer.starts_with(block.type)) return std::nullopt;
  trailer.remove_prefix(block.type.size());
  if (!trailer.starts_with(kDashes)) return std::nullopt;
  trailer.remove_prefix(kDashes.size());
  if (!TakeLine(trailer).empty()) return std::nullopt;
  if (rest.data() < end_line) {
    auto bytes = Decoded({rest.data(), static_cast<size_t>(end_line - rest.data())});
    if (!bytes) return std::nullopt;
    block.bytes = *std::move(bytes);
  }
  after = trailer;
  return block;
}

}  // namespace

std::optional<PemBlock> PemReader::Next() {
  std::string_view text = rest_;
  while (true) {
    const size_t end = text.find(kEnd);
    if (end == text.npos) return std::nullopt;
    std::string_view after;
    if (auto block = ReadBlock(text, end, after)) {
      rest_ = after;
      return block;
    }
    text.remove_prefix(end + kEnd.size());
  }
}

}  // namespace resources
