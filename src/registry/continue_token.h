// Continue tokens of chunked lists: unpadded URL-safe base64 of {"v":"meta.k8s.io/v1","rv":N,"start":KEY}, as clients
// of the real server hold them. Pure functions, any thread. The token is the client's: everything in it is checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/error.h"

namespace registry {

struct ContinueToken {
  int64_t revision = 0;  // > 0 the list's snapshot; < 0: go on in the newest state
  std::string start;     // first key to give, relative to the listed prefix
};

std::string EncodeContinueToken(const ContinueToken& token);

// 400 with the real server's text for anything that is no token.
api::Result<ContinueToken> DecodeContinueToken(std::string_view text);

}  // namespace registry
