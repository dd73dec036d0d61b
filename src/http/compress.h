// gzip for answers, as the real server does it, at the fastest level: for large ones, from 128 KiB on, where the client
// names plain `gzip`; for those that take every chance, wherever it names it. Called by Call on the connection's loop.
// The body is compressed piece by piece as the connection drains, so the memory per answer is one deflate state,
// whatever the size.
#pragma once

#include <string_view>

#include "exchange/exchange.h"

namespace http {

// Whether the Accept-Encoding field has the bare token `gzip`.
bool TakesGzip(std::string_view accept_encoding);
// The same, or with a weight, which nobody looks at.
bool TakesWeightedGzip(std::string_view accept_encoding);

// Replaces the body of `response` by its compressed form and sets Content-Encoding, and Vary where the size decided,
// where its `compression` and the client allow it. A streamed body is pulled far enough to know its size.
void Compress(const exchange::Request& request, exchange::Response& response);

}  // namespace http
