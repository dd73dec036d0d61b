// ClientConnection: one connection of a Client to one destination, on one loop: from the look-up of its address over
// TLS to the answers of one call after the other; and ClientCall, what it works for.
//
// Threads: the loop's. Ownership: its lane's, which it tells of what happened (Host).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "exchange/client.h"
#include "http/client_tls.h"
#include "http/event_loop.h"
#include "http/response_reader.h"
#include "http/tls.h"

namespace http {

struct ClientCall {
  exchange::OutboundRequest request;
  absl::AnyInvocable<void(exchange::OutboundResult)> done;
  std::unique_ptr<base::Timer> deadline;
  bool repeated = false;  // a kept connection was closed under it before
};

class ClientConnection final : public FdHandler, private Deferred {
 public:
  // What the connection tells whoever owns it. Each may destroy the connection (later, by the loop's graveyard).
  class Host {
   public:
    virtual ~Host() = default;
    virtual EventLoop& loop() = 0;
    virtual std::vector<char>& input() = 0;  // room for what is received, between two waits
    // The call has its answer, and the connection may take another (`reusable`).
    virtual void Answered(ClientConnection& connection, exchange::OutboundResult result, bool reusable) = 0;
    // A kept connection was closed by the peer before it took the call: it may be tried on another one.
    virtual void ClosedBefore(ClientConnection& connection) = 0;
    // One at rest is of no use any more.
    virtual void Ended(ClientConnection& connection) = 0;
  };

  ClientConnection(Host& host, std::shared_ptr<const ClientTlsContext> context);
  ~ClientConnection() override;

  // The first call, to one of `addresses` in order.
  void Open(ClientCall& call, std::vector<std::string> addresses);
  // Another call.
  void Send(ClientCall& call);
  bool in_body() const { return reader_.in_body(); }  // the head of the answer was there
  // Nothing is told any more.
  void Close();

  void OnReady(uint32_t epoll_events) override;

  std::unique_ptr<base::Timer> rest;  // until which a connection at rest is kept; its host's

 private:
  enum class State : uint8_t { kNew, kConnecting, kOpen, kClosed };

  void RunDeferred() override;
  void ConnectNext();
  void Connected();
  void EndAttempt(int error);
  void Fail(std::string message, bool in_body = false);
  void SendCall();
  void Flush();
  void Read();
  void Take(std::string_view received);
  void TakePlain(std::string_view plain);
  void OnEnd(bool clean);
  void Answer();
  std::string Ends() const;  // "127.0.0.1:51000->127.0.0.1:443"

  Host& host_;
  const std::shared_ptr<const ClientTlsContext> context_;
  State state_ = State::kNew;
  int fd_ = -1;
  ClientCall* call_ = nullptr;
  bool first_call_ = true;
  std::vector<std::string> addresses_;
  size_t next_address_ = 0;
  std::string connect_error_, remote_;
  std::unique_ptr<base::Timer> attempt_;  // until the next address is tried
  std::unique_ptr<TlsStream> tls_;
  bool shaken_ = false;  // the handshake is over
  std::string sniffed_;  // the first bytes of the peer
  std::string pending_;  // ciphertext that the socket did not take
  ResponseReader reader_;
};

}  // namespace http
