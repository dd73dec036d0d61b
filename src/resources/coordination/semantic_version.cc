#include "resources/coordination/semantic_version.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/ascii.h"

namespace resources::coordination {
namespace {

bool IsDigits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, absl::ascii_isdigit); }

std::optional<uint64_t> Number(std::string_view text) {
  if (!IsDigits(text) || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return absl::ascii_isalnum(c) || c == '-'; });
}

// What stands before the first `mark`, which `text` then begins after; the whole of it where there is none.
std::string_view TakeUntil(std::string_view& text, char mark) {
  const size_t at = text.find(mark);
  const std::string_view head = text.substr(0, at);
  text = at == text.npos ? std::string_view() : text.substr(at + 1);
  return head;
}

std::optional<std::vector<std::string_view>> Identifiers(std::string_view text, bool numbers_are_plain) {
  std::vector<std::string_view> list;
  while (true) {
    const size_t dot = text.find('.');
    const std::string_view one = text.substr(0, dot);
    if (!IsIdentifier(one) || (numbers_are_plain && IsDigits(one) && !Number(one))) return std::nullopt;
    list.push_back(one);
    if (dot == text.npos) return list;
    text.remove_prefix(dot + 1);
  }
}

// Numbers by value and before words, words by their letters.
int CompareIdentifiers(std::string_view a, std::string_view b) {
  const std::optional<uint64_t> left = Number(a), right = Number(b);
  if (left && right) return *left < *right ? -1 : *left > *right;
  if (left || right) return left ? -1 : 1;
  return a.compare(b);
}

}  // namespace

std::optional<SemanticVersion> SemanticVersion::Parse(std::string_view text) {
  SemanticVersion version;
  for (int i = 0; i < 2; ++i) {
    if (!text.contains('.')) return std::nullopt;
    const std::optional<uint64_t> number = Number(TakeUntil(text, '.'));
    if (!number) return std::nullopt;
    version.numbers_[i] = *number;
  }
  if (text.contains('+')) {
    std::string_view build = text;
    text = TakeUntil(build, '+');
    if (!Identifiers(build, false)) return std::nullopt;
  }
  if (text.contains('-')) {
    std::string_view prerelease = text;
    text = TakeUntil(prerelease, '-');
    auto identifiers = Identifiers(prerelease, true);
    if (!identifiers) return std::nullopt;
    version.prerelease_ = *std::move(identifiers);
  }
  const std::optional<uint64_t> patch = Number(text);
  if (!patch) return std::nullopt;
  version.numbers_[2] = *patch;
  return version;
}

int SemanticVersion::Compare(const SemanticVersion& other) const {
  for (int i = 0; i < 3; ++i) {
    if (numbers_[i] != other.numbers_[i]) return numbers_[i] < other.numbers_[i] ? -1 : 1;
  }
  if (prerelease_.empty() || other.prerelease_.empty()) {
    return static_cast<int>(prerelease_.empty()) - static_cast<int>(other.prerelease_.empty());
  }
  for (size_t i = 0; i < std::min(prerelease_.size(), other.prerelease_.size()); ++i) {
    if (const int order = CompareIdentifiers(prerelease_[i], other.prerelease_[i]); order != 0) return order;
  }
  return static_cast<int>(prerelease_.size() > other.prerelease_.size()) -
         static_cast<int>(prerelease_.size() < other.prerelease_.size());
}

}  // namespace resources::coordination
