// SemanticVersion: a version as https://semver.org writes it ("1.32.0-rc.1+build"), read and compared as lease
// candidates need it. A value type; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace resources::coordination {

class SemanticVersion {
 public:
  SemanticVersion() = default;  // 0.0.0
  // None where the text is no version: three numbers without leading zeros, then identifiers. Points into `text`.
  static std::optional<SemanticVersion> Parse(std::string_view text);
  // Negative, 0 or positive; what stands after "+" does not count.
  int Compare(const SemanticVersion& other) const;

 private:
  uint64_t numbers_[3] = {};
  std::vector<std::string_view> prerelease_;
};

}  // namespace resources::coordination
