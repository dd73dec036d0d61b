#include "base/text.h"

#include <algorithm>

namespace base {
namespace {
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
}  // namespace

namespace text_internal {
void AppendPieces(std::string& out, std::initializer_list<const Piece*> pieces) {
  size_t size = out.size();
  for (const Piece* piece : pieces) size += piece->text().size();
  // Growing at least twofold keeps many small appends linear.
  if (size > out.capacity()) out.reserve(std::max(size, 2 * out.capacity()));
  for (const Piece* piece : pieces) out.append(piece->text());
}
}  // namespace text_internal

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != parts.data()) out += separator;
    out += part;
  }
  return out;
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string_view TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace base
