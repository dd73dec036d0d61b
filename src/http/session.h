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
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "exchange/exchange.h"
#include "http/event_loop.h"
#include "http/memory_shares.h"

namespace http {

// Every bound on what clients can make the server hold or wait for. "Early" is what is taken of a request before its
// sender is known.
struct Limits {
  size_t header_bytes = 1 << 20;          // of one request's head; more is 431
  size_t body_bytes = 3 << 20;            // of one request; more sets body_too_large
  size_t early_body_bytes = 16 << 10;     // of one request; for more its head is judged first (Handler::Admit)
  int64_t early_bytes = 64 << 20;         // heads and bodies of all requests; then heads are judged at once, or 429
  int64_t early_share_bytes = 16 << 20;   // of those from one address
  int64_t all_bodies_bytes = 512 << 20;   // of all judged requests in memory at a time; more is 429
  int64_t user_bodies_bytes = 128 << 20;  // of one user's
  // What answers hold that nobody else does, from when they are made until their streams end. Then a read is 429, and
  // the answer of anything else is broken off.
  int64_t all_answers_bytes = 512 << 20;
  int64_t address_answers_bytes = 256 << 20;
  size_t discarded_bytes = 256 << 10;  // of a body that nobody wants, read on so that the connection can be kept
  size_t pipelined_bytes = 64 << 10;   // taken ahead of the answer in HTTP/1.1
  uint32_t streams = 100;              // of one HTTP/2 connection
  uint32_t stream_window = 256 << 10;  // upload window of one HTTP/2 stream
  uint32_t frame_bytes = 256 << 10;    // of one HTTP/2 frame we take
  size_t queued_frames = 500;  // of one HTTP/2 connection that wait to be sent; then nothing more is taken from it
  int flood_burst = 2000;  // HTTP/2 resets, pings, settings, broken frames, ... before the client is told to calm down
  int flood_per_second = 500;
  int connections = 20000;          // beyond, new ones are closed at once; one address has three quarters of them
  int reserved_descriptors = 1000;  // of the process's limit, for files and all else; at most half of the limit
  std::chrono::milliseconds handshake_timeout{32000};
  std::chrono::milliseconds header_timeout{32000};  // from the first byte of a head to its end
  std::chrono::milliseconds body_timeout{60000};    // from the end of a head to the end of its body
  std::chrono::milliseconds idle_timeout{90000};    // between requests
  std::chrono::milliseconds timeout_check{1000};    // how often they are looked at
  // In which a reader takes all that is there for it, or least_progress bytes; else its stream or connection is ended.
  std::chrono::milliseconds write_timeout{60000};
  size_t least_progress = 16 << 10;
  std::chrono::milliseconds farewell_timeout{2000};  // for the last words to a client whose connection is ended
};

// What the sessions of one server share.
struct Service {
  Service(const Limits& the_limits, exchange::Handler& the_handler)
      : limits(the_limits),
        handler(the_handler),
        connections(limits.connections, limits.connections - limits.connections / kForOthers),
        early(limits.early_bytes, limits.early_share_bytes),
        bodies(limits.all_bodies_bytes, limits.user_bodies_bytes),
        answers(limits.all_answers_bytes, limits.address_answers_bytes) {}
  static constexpr int kForOthers = 4;  // one of so many connections is for other addresses than that with the most
  const Limits limits;
  exchange::Handler& handler;
  MemoryShares connections;                          // by address; their number, not bytes
  MemoryShares early;                                // by address
  MemoryShares bodies;                               // by user
  MemoryShares answers;                              // by address
  std::atomic<int64_t> calls = 0;                    // handlers that run now
  std::function<void(std::string_view)> on_failure;  // told what broke off an answer or a connection; any thread

  // Called in a catch block: tells what was caught. Never throws.
  void TellFailure(std::string_view what) noexcept;
};

// Bytes of one request held against the budgets, given back at destruction.
class BodyCharge {
 public:
  // Against the early budget, as the share of `address`.
  BodyCharge(Service& service, std::string address)
      : pool_(&service.early), holder_(std::move(address)), service_(service) {}
  ~BodyCharge() { pool_->Give(holder_, held_); }
  BodyCharge(const BodyCharge&) = delete;
  BodyCharge& operator=(const BodyCharge&) = delete;
  // False when the budget is used up; nothing is charged then.
  bool Add(size_t bytes) {
    if (!pool_->Take(holder_, static_cast<int64_t>(bytes))) return false;
    held_ += static_cast<int64_t>(bytes);
    return true;
  }
  // Gives back a part.
  void Drop(size_t bytes) {
    pool_->Give(holder_, static_cast<int64_t>(bytes));
    held_ -= static_cast<int64_t>(bytes);
  }
  // The sender is known now: what is held is that user's. False when there is no room; then nothing changes.
  bool Admit(std::string user) {
    if (!service_.bodies.Take(user, held_)) return false;
    pool_->Give(holder_, held_);
    pool_ = &service_.bodies;
    holder_ = std::move(user);
    return true;
  }
  bool early() const { return pool_ == &service_.early; }

 private:
  MemoryShares* pool_;
  std::string holder_;
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

// Who is behind a peer, as far as its address tells: whose share connections and early bytes are. An IPv4 address as
// text; of an IPv6 address the bytes of its network of 64 bits.
std::string AddressOf(const exchange::Peer& peer);

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
  // Called from time to time: ends what has waited for the client for too long.
  virtual void Expire(TimePoint now) = 0;
  // When the connection is to be given up if nothing happens before.
  virtual TimePoint deadline() const = 0;
  // When it is to be closed even though output waits for the client.
  virtual TimePoint cutoff() const { return TimePoint::max(); }
};

std::unique_ptr<Session> MakeHttp1Session(Service& service, Carrier& carrier);
std::unique_ptr<Session> MakeHttp2Session(Service& service, Carrier& carrier);

}  // namespace http
