// Regular expressions of schemas, compiled at their first use and kept for the next: a few for each thread, so that no
// definition makes more of them than it has instances for. Any thread; no lock.
#pragma once

#include <string_view>

namespace customresources {

inline constexpr size_t kMostPatterns = 512;  // compiled ones that a thread keeps

// Whether `text` matches `pattern`; true where the pattern is none (a definition with one is refused).
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace customresources
