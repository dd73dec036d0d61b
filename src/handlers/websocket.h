// WebSocket: a watch as messages of a WebSocket (RFC 6455), for clients that ask for an upgrade over HTTP/1.1: one
// message an event. Called by ServeWatch on the request's thread. What the client sends is not read.
#pragma once

#include <memory>

#include "exchange/exchange.h"
#include "handlers/negotiation.h"

namespace handlers {

bool IsWebSocketRequest(const exchange::Request& request);

// The handshake's answer: 101 with `stream` in frames (text for JSON, else binary), or why the handshake fails, in the
// real server's words: 400 for a missing or wrong version or key, 403 without an origin.
exchange::Response UpgradeToWebSocket(const exchange::Request& request, Encoding encoding,
                                      std::unique_ptr<exchange::BodySource> stream);

}  // namespace handlers
