// StringMap: a hash table keyed by strings that is searched by string_view without making a string. (Debian's Abseil
// has a string_view of its own, which the default hash of its tables wants.)
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace base {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return absl::Hash<std::string_view>()(text); }
};

template <class T>
using StringMap = absl::flat_hash_map<std::string, T, StringHash, std::equal_to<>>;

}  // namespace base
