// Conditions: what a request makes its answer depend on (If-Match, If-Unmodified-Since, If-None-Match,
// If-Modified-Since), for documents that have an ETag or a time. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "exchange/exchange.h"

namespace handlers {

// 304 where the client has the document already, 412 where it wants another, 0 where it is to be sent. `etag` is in
// quotes; "" where there is none, which only "*" matches.
int UnmetCondition(const exchange::Request& request, std::string_view etag, absl::Time modified);

// "Sat, 21 Nov 2026 08:12:47 GMT"
std::string HttpDate(absl::Time time);

}  // namespace handlers
