// Connection: one client's socket with its TLS and its session, on one event loop; and Lane: what the connections of
// one server on one loop share, above all the buffers, so that a connection at rest owns none.
//
// Threads: the loop's; Lane::Adopt, Drain and Abort are posted to it by Server. Ownership: a Lane owns its connections.
// Bounds: a turn reads and writes a bounded number of bytes and then lets the others go first; what the client does not
// take is at most one turn's output; a client that takes next to nothing of it for Limits::write_timeout is dropped. An
// exception (no memory) ends the one connection that it came up in.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "http/event_loop.h"
#include "http/session.h"
#include "http/tls.h"

namespace http {

class Connection;

class Lane {
 public:
  Lane(Service& service, EventLoop& loop);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Takes `fd`, connected and non-blocking. `tls` null: plain HTTP/1.1.
  void Adopt(int fd, std::string remote_address, std::shared_ptr<const TlsContext> tls);
  void Drain();              // connections at rest close, the others after their answers; new ones at once
  void DrainSome(int most);  // of those that do not end yet
  void Abort();              // all close now

  EventLoop& loop() { return loop_; }
  std::atomic<int>& load() { return load_; }  // connections adopted or on their way here; any thread

 private:
  friend class Connection;
  void Release(Connection& connection);
  void Sweep();

  Service& service_;
  EventLoop& loop_;
  std::atomic<int> load_ = 0;
  bool draining_ = false;
  absl::flat_hash_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::unique_ptr<base::Timer> sweep_;

  // Of whichever connection has its turn; empty between turns.
  std::vector<char> input_;  // as received
  std::vector<char> plain_;  // one record, decrypted
  std::string record_;       // plaintext that will be one record
  std::string output_;       // to be sent
};

class Connection final : public FdHandler, private Deferred, private Carrier {
 public:
  Connection(Lane& lane, int fd, std::string remote_address, std::shared_ptr<const TlsContext> tls);
  ~Connection() override;

  base::Result<> Open();
  void OnReady(uint32_t epoll_events) override;
  void Drain();
  bool draining() const { return draining_; }
  void Close();
  void CloseIfExpired(EventLoop::TimePoint now);

 private:
  class RecordSink;

  EventLoop& loop() override { return lane_.loop_; }
  std::shared_ptr<const exchange::Peer> peer() override { return peer_; }
  void WantFlush() override { lane_.loop_.Defer(*this); }
  void RunDeferred() override;

  // Runs `work`; an exception of it closes the connection.
  template <class Work>
  void Guarded(Work work) noexcept;
  void Ready(uint32_t epoll_events);
  void Flush();
  void Expire(EventLoop::TimePoint now);
  void Sent(size_t bytes);
  void Read();
  bool TakesInput() const;
  void Take(std::string_view received);
  void TakeRecords(std::string_view received);
  bool TakePlain(std::string_view received);
  void RefusePlainHttp();
  void MakeSession(bool http2);
  void OnEnd();
  void Write();
  void Send();
  bool SendPending();
  void EndOutput(bool linger);

  Lane& lane_;
  const int fd_;
  std::shared_ptr<exchange::Peer> peer_;
  std::unique_ptr<TlsStream> tls_;  // null: plain
  std::unique_ptr<Session> session_;
  std::string unread_;   // received but not taken by a session that has enough
  std::string pending_;  // output that the socket did not take
  bool readable_ = false;
  bool half_closed_ = false;  // by the client
  bool lingering_ = false;    // our side is closed, what still comes is thrown away
  bool draining_ = false;
  bool closed_ = false;
  size_t thrown_away_ = 0;
  size_t sent_ = 0;             // of pending_ since `since_`
  EventLoop::TimePoint since_;  // opened; then of the last progress of pending_; then of lingering
};

}  // namespace http
