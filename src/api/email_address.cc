#include "api/email_address.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>

#include "api/ip_address.h"
#include "base/text.h"

namespace api {
namespace {

bool IsByte(char c, std::string_view of) { return of.contains(c); }
// Printable ASCII without the blank, and all of every other script.
bool IsVisible(char c) { return (c >= '!' && c <= '~') || static_cast<unsigned char>(c) >= 0x80; }
bool IsAtomByte(char c) { return IsVisible(c) && !IsByte(c, "()<>[]:;@\\,\""); }
bool IsHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// "=41=20": letters in hexadecimal, "_" for blanks.
bool IsQEncoded(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '=') {
      if (text.size() - i < 3 || !IsHex(text[i + 1]) || !IsHex(text[i + 2])) return false;
      i += 2;
    } else if ((c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t') {
      return false;
    }
  }
  return true;
}

// Line ends within do not count.
bool IsBEncoded(std::string_view text) {
  std::string digits(text);
  std::erase_if(digits, [](char c) { return c == '\n' || c == '\r'; });
  if (digits.size() % 4 != 0) return false;
  for (int i = 0; i < 2 && digits.ends_with('='); ++i) digits.pop_back();
  return std::ranges::all_of(
      digits, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/'; });
}

// What of an encoded word ("=?charset?q?text?=") a word is. What is encoded badly is a word like any other; nobody
// reads foreign character sets.
enum class Word : uint8_t { kPlain, kEncoded, kEncodedNothing, kForeign };

Word KindOf(std::string_view word) {
  if (word.size() < 8 || !word.starts_with("=?") || !word.ends_with("?=") || std::ranges::count(word, '?') != 4) {
    return Word::kPlain;
  }
  word = word.substr(2, word.size() - 4);
  const size_t first = word.find('?'), second = word.find('?', first + 1);
  if (first == 0 || second != first + 2) return Word::kPlain;
  const std::string charset = base::ToLower(word.substr(0, first));
  const std::string_view text = word.substr(second + 1);
  const char encoding = static_cast<char>(std::tolower(static_cast<unsigned char>(word[first + 1])));
  if (encoding != 'b' && encoding != 'q') return Word::kPlain;
  if (!(encoding == 'b' ? IsBEncoded(text) : IsQEncoded(text))) return Word::kPlain;
  if (charset != "utf-8" && charset != "iso-8859-1" && charset != "us-ascii") return Word::kForeign;
  return text.empty() ? Word::kEncodedNothing : Word::kEncoded;
}

class AddressReader {
 public:
  explicit AddressReader(std::string_view text) : rest_(text) {}

  bool IsOneMailbox() {
    const std::optional<int> mailboxes = Address(true);
    return mailboxes && SkipComments() && rest_.empty() && *mailboxes == 1;
  }

 private:
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void SkipBlanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  // How many mailboxes the address is, more or none where it is a group; nullopt where it is no address.
  std::optional<int> Address(bool may_be_group) {
    SkipBlanks();
    if (rest_.empty()) return std::nullopt;
    const std::string_view start = rest_;
    if (PlainMailbox()) {
      SkipBlanks();
      // A comment behind it is its name.
      if (rest_.starts_with('(') && !NameComment()) return std::nullopt;
      return 1;
    }
    rest_ = start;
    if (!rest_.starts_with('<') && !Phrase()) return std::nullopt;
    SkipBlanks();
    if (may_be_group && Take(':')) return Group();
    if (!Take('<') || !PlainMailbox() || !Take('>')) return std::nullopt;
    return 1;
  }

  // The members of a group, up to its semicolon.
  std::optional<int> Group() {
    SkipBlanks();
    if (Take(';')) return SkipComments() ? std::optional(0) : std::nullopt;
    int mailboxes = 0;
    while (true) {
      SkipBlanks();
      const std::optional<int> member = Address(false);
      if (!member || !SkipComments()) return std::nullopt;
      mailboxes += *member;
      if (Take(';')) return SkipComments() ? std::optional(mailboxes) : std::nullopt;
      if (!Take(',')) return std::nullopt;
    }
  }

  // local@domain.
  bool PlainMailbox() {
    SkipBlanks();
    const size_t before = rest_.size();
    const bool quoted = rest_.starts_with('"');
    if (quoted ? !Quoted() || before - rest_.size() == 2 : !Atom(false)) return false;
    if (!Take('@')) return false;
    SkipBlanks();
    return rest_.starts_with('[') ? AddressLiteral() : Atom(false);
  }

  // Letters and dots; `loose`: dots where they like.
  bool Atom(bool loose, std::string_view* taken = nullptr) {
    const auto* end = std::ranges::find_if_not(rest_, IsAtomByte);
    const std::string_view atom = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    if (atom.empty()) return false;
    rest_.remove_prefix(atom.size());
    if (taken != nullptr) *taken = atom;
    return loose || (!atom.starts_with('.') && !atom.ends_with('.') && !atom.contains(".."));
  }

  bool Quoted() {
    rest_.remove_prefix(1);
    for (; !rest_.empty() && rest_[0] != '"'; rest_.remove_prefix(1)) {
      if (rest_[0] == '\\') rest_.remove_prefix(1);
      if (rest_.empty() || !(IsVisible(rest_[0]) || IsByte(rest_[0], " \t"))) return false;
    }
    return Take('"');
  }

  // [192.0.2.1]
  bool AddressLiteral() {
    rest_.remove_prefix(1);
    const size_t end = rest_.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view address = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return !address.contains('%') && IpAddress::ParseStrictly(address).has_value();
  }

  // Words of a name, up to what is none. Comments stand behind the first that is not encoded.
  bool Phrase() {
    for (bool any = false, any_plain = false;;) {
      if (any_plain && !SkipComments()) return false;
      SkipBlanks();
      if (rest_.empty()) return true;
      const std::string_view start = rest_;
      std::string_view atom;
      if (!(rest_.starts_with('"') ? Quoted() : Atom(true, &atom))) {
        rest_ = start;
        return any;
      }
      const Word kind = KindOf(atom);
      if (kind == Word::kForeign) return any;
      any |= kind != Word::kEncodedNothing;
      any_plain |= kind == Word::kPlain;
    }
  }

  bool SkipComments() {
    SkipBlanks();
    while (rest_.starts_with('(')) {
      if (!Comment()) return false;
      SkipBlanks();
    }
    return true;
  }

  // Comments stand in one another. `text`: what the outermost says.
  bool Comment(std::string* text = nullptr) {
    rest_.remove_prefix(1);
    int depth = 1;
    for (; !rest_.empty() && depth > 0; rest_.remove_prefix(1)) {
      if (rest_[0] == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(1);
      } else if (rest_[0] == '(') {
        ++depth;
      } else if (rest_[0] == ')') {
        --depth;
      }
      if (depth > 0 && text != nullptr) *text += rest_[0];
    }
    return depth == 0;
  }

  bool NameComment() {
    std::string text;
    if (!Comment(&text)) return false;
    std::string_view words = text;
    while (!words.empty()) {
      const size_t end = std::min(words.find_first_of(" \t"), words.size());
      if (KindOf(words.substr(0, end)) == Word::kForeign) return false;
      words.remove_prefix(std::min(end + 1, words.size()));
    }
    return true;
  }

  std::string_view rest_;
};

}  // namespace

bool IsEmailAddress(std::string_view text) { return AddressReader(text).IsOneMailbox(); }

}  // namespace api
