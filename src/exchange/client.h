// Client: what calls other servers over HTTPS (webhooks, conversion, later token and authorization reviews). Declared
// here so that the floors below http/ can call; http/client.h implements it, exchange/webhook_client.h is what most
// callers want.
//
// Threads: Call from any thread; the task goes on on the executor it is given and never blocks a thread. Bounds: a call
// ends at its deadline, an answer has at most `most_answer_bytes`; redirects are never followed, bodies never unpacked.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "base/executor.h"
#include "base/task.h"
#include "exchange/exchange.h"

namespace exchange {

// Whom to trust and who to be. Immutable, shared by calls; connections are shared by calls with equal settings.
struct TlsSettings {
  std::string authorities_pem;           // whose certificates are trusted; "" those of the system
  std::string certificate_pem, key_pem;  // of the client; "" none
  std::string server_name;               // whom the server's certificate is to be for
  bool verifies = true;                  // false: any certificate will do
};

struct OutboundRequest {
  std::string method = "POST";
  std::string host;  // address or name that is connected to
  uint16_t port = 443;
  std::string target = "/";  // path and query, escaped
  std::shared_ptr<const TlsSettings> tls;
  Headers headers;  // Host among them; Content-Length is added
  std::string body;
  std::chrono::steady_clock::time_point deadline;
  size_t most_answer_bytes = 0;
};

struct OutboundAnswer {
  int status = 0;
  Headers headers;  // names in lower case
  std::string body;
};

// Why there is no whole answer.
struct OutboundFailure {
  std::string message;        // in the words of Go's net/http, which clients get to see
  bool in_body = false;       // the head of an answer was there
  bool timed_out = false;     // the deadline passed
  bool bad_settings = false;  // the TLS settings cannot be used: nothing was sent
};

using OutboundResult = std::expected<OutboundAnswer, OutboundFailure>;

class Client {
 public:
  virtual ~Client() = default;
  virtual base::Task<OutboundResult> Call(base::Executor& executor, OutboundRequest request) = 0;
};

}  // namespace exchange
