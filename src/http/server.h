// Server: listens on one address, speaks TLS, HTTP/1.1 and HTTP/2, and gives every request to a Handler. Made by
// server/ (the floor above) once for each port.
//
// Threads: connections are spread over the IoThreads, each to the one with the fewest; the handler is called on all of
// them. Start, Stop and the destructor are called from one thread that is none of them. Ownership: handler and threads
// outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/certificates.h"
#include "http/connection.h"
#include "http/io_threads.h"
#include "http/served_certificate.h"
#include "http/session.h"
#include "http/tls.h"

namespace http {

struct ServerOptions {
  std::string bind_address = "0.0.0.0";              // an unspecified one listens on both families
  uint16_t port = 6443;                              // 0: any
  bool reuse_port = false;                           // other processes may listen on the port too
  bool tls = true;                                   // without: plain HTTP/1.1
  CertificateFiles certificate;                      // read now, and anew when they change
  std::vector<NamedCertificate> named_certificates;  // for names that clients ask for
  TlsParameters tls_parameters;
  Limits limits;
  std::function<void(std::string_view)> on_failure;  // Service::on_failure
};

class Acceptor;

// How many connections a process may have that may open so many descriptors: the store and all else keep a reserve.
int MostConnections(const Limits& limits, int64_t descriptors);

class Server {
 public:
  static base::Result<std::unique_ptr<Server>> Start(const ServerOptions& options, exchange::Handler& handler,
                                                     IoThreads& io);
  // Stops at once if Stop was not called.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const { return port_; }
  int connections() const;  // open now; any thread
  // Serves on until no handler runs, for `most` at most: for a time in which new requests are turned away in words.
  void WaitForRequests(std::chrono::milliseconds most) const;
  // Stops listening; ends watches and idle connections, one after the other over `watch_grace`; lets requests end for
  // `grace`, then closes what is left. Returns when no handler runs any more.
  void Stop(std::chrono::milliseconds grace, std::chrono::milliseconds watch_grace = std::chrono::milliseconds(0));

 private:
  Server(const ServerOptions& options, exchange::Handler& handler, IoThreads& io);
  void DrainSlowly(std::chrono::milliseconds time);
  bool WaitUntilIdle(std::chrono::steady_clock::time_point deadline) const;

  Service service_;
  IoThreads& io_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // one an I/O thread
  std::unique_ptr<Acceptor> acceptor_;
  uint16_t port_ = 0;
  bool stopped_ = false;
};

}  // namespace http
