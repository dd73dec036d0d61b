// Text: putting strings together from pieces, and comparing them without regard to case. For every floor (the packaged
// absl::StrCat knows no std::string_view). Pure functions, any thread.
#pragma once

#include <charconv>
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace base {
namespace text_internal {

// One piece: a view of a string, or an integer written into a buffer of its own.
class Piece {
 public:
  Piece(std::string_view text) : text_(text) {}    // NOLINT(google-explicit-constructor): made by conversion only
  Piece(const char* text) : text_(text) {}         // NOLINT
  Piece(const std::string& text) : text_(text) {}  // NOLINT
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool> && !std::same_as<Integer, char>)
  Piece(Integer number)  // NOLINT
      : text_(buffer_, static_cast<size_t>(std::to_chars(buffer_, buffer_ + sizeof(buffer_), number).ptr - buffer_)) {}
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  std::string_view text() const { return text_; }

 private:
  char buffer_[24];
  std::string_view text_;
};

void AppendPieces(std::string& out, std::initializer_list<const Piece*> pieces);

}  // namespace text_internal

// Appends strings and integers to `out`, which no piece may point into.
template <class... Pieces>
void Append(std::string& out, const Pieces&... pieces) {
  auto append = [&out](const auto&... made) { text_internal::AppendPieces(out, {&made...}); };
  append(text_internal::Piece(pieces)...);
}

// The pieces as one string.
template <class... Pieces>
std::string Cat(const Pieces&... pieces) {
  std::string out;
  Append(out, pieces...);
  return out;
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator);

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsAlnum(char c) { return IsDigit(c) || IsLower(c) || (c >= 'A' && c <= 'Z'); }

// ASCII only: what is no ASCII letter stays and compares as it is.
std::string ToLower(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// Without spaces, tabs and line ends around it.
std::string_view TrimSpace(std::string_view text);

}  // namespace base
