// GroupVersion: what an `apiVersion` says ("apps/v1"; "v1" of the group without a name), as the real server reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace api {

// Refers to the text that it was read from.
struct GroupVersion {
  std::string_view group, version;

  bool operator==(const GroupVersion&) const = default;

  // Nothing of what has more than one slash; a lone slash says as little as an empty text.
  static std::optional<GroupVersion> Parse(std::string_view text) {
    const size_t slash = text.find('/');
    if (slash == text.npos) return GroupVersion{.group = "", .version = text};
    if (text.find('/', slash + 1) != text.npos) return std::nullopt;
    return GroupVersion{.group = text.substr(0, slash), .version = text.substr(slash + 1)};
  }

  // As an `apiVersion`.
  std::string text() const { return base::Cat(group, group.empty() ? "" : "/", version); }
};

// Which of two versions is preferred where nobody says: above 0 the first ("v2" before "v1" before "v1beta1" before
// what is named otherwise).
int CompareVersions(std::string_view one, std::string_view other);

}  // namespace api
