// Session: the protocol on one connection, HTTP/1.1 or HTTP/2, between plaintext bytes and exchanges. A Connection (or
// a test, or a fuzzer, in memory) feeds it what came in and pulls what is to go out; it knows no sockets and no TLS.
//
// Threads: everything on the connection's loop. Ownership: the carrier owns the session; a Service outlives its
// sessions. Bounds: Limits, each tested at its edge. Errors: a broken client gets the protocol's answer and finished()
// turns true.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "exchange/exchange.h"
#include "http/event_loop.h"

namespace http {

// Every bound on what clients can make the server hold or wait for.
struct Limits {
  size_t header_bytes = 1 << 20;         // of one request's head; more is 431
  size_t body_bytes = 3 << 20;           // of one request; more sets body_too_large
  int64_t all_bodies_bytes = 512 << 20;  // of all requests in memory at a time; more is 429
  size_t discarded_bytes = 256 << 10;    // of a body too large, read on so that the connection can be kept
  size_t pipelined_bytes = 64 << 10;     // taken ahead of the answer in HTTP/1.1
  uint32_t streams = 100;                // of one HTTP/2 connection
  uint32_t stream_window = 256 << 10;    // upload window of one HTTP/2 stream
  uint32_t frame_bytes = 256 << 10;      // of one HTTP/2 frame we take
  int flood_burst = 2000;                // HTTP/2 resets, pings, settings, ... before the client is told to calm down
  int flood_per_second = 500;
  int connections = 20000;
  std::chrono::milliseconds handshake_timeout{32000};
  std::chrono::milliseconds header_timeout{32000};  // from the first byte of a head to its end
  std::chrono::milliseconds body_timeout{60000};    // without a byte of a body
  std::chrono::milliseconds idle_timeout{90000};    // between requests
  std::chrono::milliseconds timeout_check{1000};    // how often they are looked at
  std::chrono::milliseconds write_timeout{60000};   // without a byte taken by a reader that has something to read
};

// What the sessions of one server share.
struct Service {
  Service(const Limits& the_limits, exchange::Handler& the_handler) : limits(the_limits), handler(the_handler) {}
  const Limits limits;
  exchange::Handler& handler;
  std::atomic<int64_t> body_bytes = 0;  // held now
  std::atomic<int64_t> calls = 0;       // handlers that run now
};

// Bytes of the server-wide budget for bodies, given back at destruction.
class BodyCharge {
 public:
  explicit BodyCharge(Service& service) : service_(service) {}
  ~BodyCharge() { service_.body_bytes.fetch_sub(held_, std::memory_order_relaxed); }
  BodyCharge(const BodyCharge&) = delete;
  BodyCharge& operator=(const BodyCharge&) = delete;
  // False when the budget is used up; nothing is charged then.
  bool Add(size_t bytes) {
    auto more = static_cast<int64_t>(bytes);
    if (service_.body_bytes.fetch_add(more, std::memory_order_relaxed) + more > service_.limits.all_bodies_bytes) {
      service_.body_bytes.fetch_sub(more, std::memory_order_relaxed);
      return false;
    }
    held_ += more;
    return true;
  }

 private:
  Service& service_;
  int64_t held_ = 0;
};

// Where a session puts its output. It looks at room() before each piece and stops when there is none; a piece may go
// beyond.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual size_t room() const = 0;
  virtual void Write(std::string_view bytes) = 0;  // taken before the call returns
};

// What carries a session.
class Carrier {
 public:
  virtual ~Carrier() = default;
  virtual EventLoop& loop() = 0;
  virtual std::shared_ptr<const exchange::Peer> peer() = 0;
  // There is something to Produce or finished() changed: the carrier calls Produce soon, not from inside this call.
  virtual void WantFlush() = 0;
};

class Session {
 public:
  using TimePoint = EventLoop::TimePoint;
  virtual ~Session() = default;

  virtual void Receive(std::string_view bytes) = 0;
  // False while the session has as much unanswered input as it will hold.
  virtual bool WantsInput() const = 0;
  // The client will send no more: answers under way go out, streams end.
  virtual void InputEnded() = 0;
  // Writes while there is room and something to write.
  virtual void Produce(Sink& sink) = 0;
  // Nothing more will come: the connection is to be closed once the output is out.
  virtual bool finished() const = 0;
  // After finished(): the client may still be sending, so that closing at once could destroy the answer on its way.
  virtual bool linger() const { return false; }
  // Begins to end: no new requests, watches end, answers under way go out. Then finished().
  virtual void Drain() = 0;
  // When the connection is to be given up if nothing happens before.
  virtual TimePoint deadline() const = 0;
};

std::unique_ptr<Session> MakeHttp1Session(Service& service, Carrier& carrier);
std::unique_ptr<Session> MakeHttp2Session(Service& service, Carrier& carrier);

}  // namespace http
