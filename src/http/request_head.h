// The head of an HTTP/1 request, and the rules for request targets that HTTP/2 shares. Called by the sessions with
// foreign bytes; pure functions, any thread. What Go's net/http accepts is accepted, what it refuses is refused with
// its answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "exchange/exchange.h"

namespace http {

// Why a connection answers a request itself and closes.
struct HeadError {
  int status = 400;
  std::string text;  // after "400 Bad Request: ", or "" for the bare status
};

struct RequestHead {
  exchange::Request request;
  int minor = 1;                           // of HTTP/1.minor
  std::optional<uint64_t> content_length;  // absent: no body, unless chunked
  bool chunked = false;
  bool close = false;          // the client wants the connection closed after the answer
  bool keep_alive_10 = false;  // HTTP/1.0 that asks for keep-alive
  bool expects_continue = false;
  bool unknown_expectation = false;
};

// The size of the head at the start of `bytes` with its empty line, or npos when its end is not there yet. `scanned` is
// how far an earlier call looked; updated.
size_t FindHeadEnd(std::string_view bytes, size_t& scanned);

// False when what is there of an incomplete head cannot become a request: then there is no need to wait for the rest.
bool PlausibleStart(std::string_view bytes);

// Parses a whole head (as FindHeadEnd found it).
std::optional<HeadError> ParseRequestHead(std::string_view head, RequestHead& out);

// Splits a request target (origin form, absolute form, "*") into path, query and authority of `request`. False for what
// Go's url.ParseRequestURI refuses.
bool ParseTarget(std::string_view target, exchange::Request& request);

bool IsToken(std::string_view text);       // a method or a field name
bool IsFieldValue(std::string_view text);  // no control characters but tab
bool IsHost(std::string_view text);        // the characters that a Host field may have

// "400 Bad Request", "" for a status without a name.
std::string_view StatusText(int status);

}  // namespace http
