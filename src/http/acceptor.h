// Acceptor: the listening socket of one server, on one event loop, and the certificate that new connections get. It
// hands each connection to the lane with the fewest: with few connections an even spread matters more than where they
// came in. Threads: Listen from any thread before Open; the rest on the loop. A shortage of descriptors pauses
// accepting, shortly.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/connection.h"
#include "http/event_loop.h"
#include "http/served_certificate.h"

namespace http {

struct ListenOptions {
  std::string address;
  uint16_t port = 0;
  bool reuse_port = false;
};

// A listening, non-blocking socket; `port` is set to the one it got.
base::Result<int> Listen(const ListenOptions& options, uint16_t& port);

class Acceptor final : public FdHandler, private Deferred {
 public:
  // Takes `fd`. `certificate` null: plain HTTP.
  Acceptor(int fd, EventLoop& loop, std::unique_ptr<ServedCertificate> certificate, std::vector<Lane*> lanes,
           Service& service);
  ~Acceptor() override;

  base::Result<> Open();
  void Close();
  void OnReady(uint32_t) override { RunDeferred(); }

 private:
  void RunDeferred() override;
  void HandOver(int fd, std::string remote_address) noexcept;

  const int fd_;
  EventLoop& loop_;
  std::unique_ptr<ServedCertificate> certificate_;
  const std::vector<Lane*> lanes_;
  Service& service_;
  size_t next_ = 0;  // the lane that wins a tie
  bool closed_ = false;
  std::unique_ptr<base::Timer> retry_;
};

}  // namespace http
