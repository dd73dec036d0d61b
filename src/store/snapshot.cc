#include "store/snapshot.h"

#include <algorithm>

namespace store {

const Tree& Snapshot::tree() const {
  static const Tree empty;
  return version_ == nullptr ? empty : version_->tree();
}

size_t Snapshot::Count(std::string_view prefix, std::string_view start) const {
  const std::string end = PrefixEnd(prefix);
  const size_t last = end.empty() ? tree().size() : tree().Rank(end);
  const size_t first = tree().Rank(std::max(prefix, start));
  return last > first ? last - first : 0;
}

}  // namespace store
