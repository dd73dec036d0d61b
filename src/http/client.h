// Client: calls other servers over HTTPS from the I/O threads. HTTP/1.1 with connections that are kept, per thread and
// per destination. A call runs on the loop that it comes from, where that is one of the client's, else on another; no
// thread ever waits.
//
// Threads: Call from any; each Lane is its loop's. Ownership: made after the IoThreads and destroyed before them, when
// no call is under way any more. Bounds: Limits; a call that finds all connections taken waits for one until its
// deadline. What the peer sends is read by http/response_reader.h and judged by http/client_tls.h.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "exchange/client.h"
#include "http/client_tls.h"
#include "http/event_loop.h"
#include "http/name_lookup.h"

namespace http {

struct ClientLimits {
  size_t connections = 256;       // to one destination, of one thread
  size_t idle = 25;               // of them kept without a call
  size_t all_connections = 1024;  // of one thread
  std::chrono::milliseconds idle_time{90'000};
  size_t tls_settings = 200;  // kept ready
};

class ClientLane;

class Client final : public exchange::Client {
 public:
  // `loops` outlive it.
  explicit Client(std::vector<EventLoop*> loops, ClientLimits limits = {});
  ~Client() override;

  base::Task<exchange::OutboundResult> Call(base::Executor& executor, exchange::OutboundRequest request) override;

 private:
  friend class ClientLane;
  // Equal settings have one context.
  base::Result<std::shared_ptr<const ClientTlsContext>> ContextOf(const exchange::TlsSettings& settings);
  ClientLane& LaneOf(base::Executor& executor);

  const ClientLimits limits_;
  std::mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<const ClientTlsContext>> contexts_;  // guarded by mutex_
  std::vector<std::unique_ptr<ClientLane>> lanes_;
  std::unique_ptr<NameLookup> lookup_ = std::make_unique<NameLookup>();
};

}  // namespace http
