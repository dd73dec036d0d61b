// Server: one whole API server, from the engine to the listening socket. The only place that names concrete types and
// plugs them together. Made by main, by tests and by whoever embeds one; many can live in one process.
//
// Threads: Start, BeginStop, Stop and the destructor by one thread that is none of the server's own. The server has its
// I/O threads, the store's committer and a log writer. Ownership: owns everything it is made of.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/logging.h"
#include "base/result.h"
#include "engine/engine.h"
#include "server/options.h"

namespace server {

class Server {
 public:
  // Serves when it returns: bootstrap objects are there, the port answers. `logger` outlives the server.
  static base::Result<std::unique_ptr<Server>> Start(const Options& options, base::Logger& logger);
  // Stops at once where Stop was not called.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const;
  // PEM of the certificate that clients may trust.
  const std::string& certificate_file() const;

  // From now on /readyz fails, while everything is served on: what load balancers are told first.
  void BeginStop();
  // Ends: new requests are turned away, running ones may end within the grace, watches close, the store is synced.
  void Stop();

  // Drops history before `revision` (0: all of it).
  void Compact(engine::Revision revision);

 private:
  class Parts;
  explicit Server(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace server
