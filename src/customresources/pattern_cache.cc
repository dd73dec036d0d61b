#include "customresources/pattern_cache.h"

#include <expected>
#include <string>

#include "api/regexp.h"
#include "base/string_map.h"

namespace customresources {

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  using Compiled = std::expected<api::Regexp, std::string>;
  thread_local base::StringMap<Compiled> compiled;
  auto found = compiled.find(pattern);
  if (found == compiled.end()) {
    if (compiled.size() >= kMostPatterns) compiled.clear();
    found = compiled.emplace(pattern, api::Regexp::Compile(pattern)).first;
  }
  return !found->second || found->second->IsIn(text);
}

}  // namespace customresources
