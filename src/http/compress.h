// gzip for large answers, as the real server does it: only where the client names plain `gzip`, from 128 KiB on, at the
// fastest level. Called by Call on the connection's loop. The body is compressed piece by piece as the connection
// drains, so the memory per answer is one deflate state, whatever the size.
#pragma once

#include <string_view>

#include "exchange/exchange.h"

namespace http {

// Whether the Accept-Encoding field has the bare token `gzip`.
bool TakesGzip(std::string_view accept_encoding);

// Replaces the body of `response` by its compressed form and sets Content-Encoding and Vary, where that is worth it. A
// streamed body is pulled far enough to know.
void CompressIfWorthIt(const exchange::Request& request, exchange::Response& response);

}  // namespace http
