// resourceVersion texts of requests and bodies to numbers. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "api/error.h"
#include "store/store.h"

namespace registry {

// A decimal uint64; the error is what Go's strconv.ParseUint says. "" is 0.
std::expected<uint64_t, std::string> ParseUnsigned(std::string_view text);

// Of a query parameter: the error is the 500 that reads answer.
api::Result<uint64_t> ParseResourceVersion(std::string_view text);

// Numbers beyond the store's are all equally in the future.
inline store::Revision ToRevision(uint64_t version) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  return store::Revision(static_cast<int64_t>(version < kMost ? version : kMost));
}

}  // namespace registry
