#include "api/group_version.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace api {
namespace {

struct KnownVersion {
  int64_t major = 0;
  int stage = 2;  // alpha 0, beta 1
  int64_t minor = 0;
};

// Takes digits off the front of `text`.
bool TakeNumber(std::string_view& text, int64_t& number) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

std::optional<KnownVersion> ParseVersion(std::string_view text) {
  KnownVersion version;
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  if (!TakeNumber(text, version.major)) return std::nullopt;
  if (text.empty()) return version;
  version.stage = text.starts_with("alpha") ? 0 : 1;
  const std::string_view word = version.stage == 0 ? "alpha" : "beta";
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  if (!TakeNumber(text, version.minor) || !text.empty()) return std::nullopt;
  return version;
}

int Sign(int64_t number) { return number < 0 ? -1 : number > 0 ? 1 : 0; }

}  // namespace

int CompareVersions(std::string_view one, std::string_view other) {
  const auto first = ParseVersion(one), second = ParseVersion(other);
  if (!first && !second) return other.compare(one);
  if (!first || !second) return first ? 1 : -1;
  if (first->stage != second->stage) return first->stage - second->stage;
  if (first->major != second->major) return Sign(first->major - second->major);
  return Sign(first->minor - second->minor);
}

}  // namespace api
