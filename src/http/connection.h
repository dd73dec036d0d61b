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
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "http/event_loop.h"
#include "http/session.h"
#include "http/tls.h"

namespace http {

class Connection;
class Lane;

// A connection's place among those of a server: counted from when it is accepted to when it is gone. Moves from thread
// to thread with it.
class Place {
 public:
  // No place where the address has its share, or where there is none left: then taken() is false.
  Place(Service& service, std::string address);
  ~Place();
  Place(Place&& other) noexcept
      : service_(std::exchange(other.service_, nullptr)),
        lane_(std::exchange(other.lane_, nullptr)),
        address_(std::move(other.address_)) {}
  Place& operator=(Place&&) = delete;
  bool taken() const { return service_ != nullptr; }
  // Of the server's connections it is one of this lane's.
  void In(Lane& lane);

 private:
  Service* service_;
  Lane* lane_ = nullptr;
  std::string address_;
};

// A connected, non-blocking socket that nobody serves yet; closed unless somebody does.
struct AcceptedSocket {
  AcceptedSocket(int the_fd, std::string address, Place the_place)
      : fd(the_fd), remote_address(std::move(address)), place(std::move(the_place)) {}
  AcceptedSocket(AcceptedSocket&& other) noexcept
      : fd(std::exchange(other.fd, -1)),
        remote_address(std::move(other.remote_address)),
        place(std::move(other.place)) {}
  AcceptedSocket& operator=(AcceptedSocket&&) = delete;
  ~AcceptedSocket();

  int fd;
  std::string remote_address;
  Place place;
};

class Lane {
 public:
  Lane(Service& service, EventLoop& loop);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // `tls` null: plain HTTP/1.1.
  void Adopt(AcceptedSocket socket, std::shared_ptr<const TlsContext> tls) noexcept;
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
  Connection(Lane& lane, AcceptedSocket socket, std::shared_ptr<const TlsContext> tls);
  ~Connection() override;

  void Open() noexcept;  // closed where that fails
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

  AcceptedSocket socket_;  // first: its place is free when all else of it is gone
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
