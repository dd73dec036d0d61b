// Exchange: one HTTP request in flight and what answers it, without a word of HTTP's wire or of Kubernetes' resources.
// http/ makes an Exchange per request and calls the outermost Handler; pipeline stages are Handlers that call the next
// one.
//
// Threads: an Exchange and everything called with it stay on the I/O thread of its connection (`executor()`); what
// waits elsewhere comes back by base::Await on that executor. Ownership: http/ owns the Exchange and the Task until the
// response is out or the client is gone. Bounds: the body is read whole before the handler runs, up to
// http::Limits::body_bytes; more sets `body_too_large`. Of a large one the head is judged first (Handler::Admit).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "api/request.h"
#include "base/executor.h"
#include "base/slice.h"
#include "base/task.h"

namespace exchange {

// Header fields in order; names in lower case.
class Headers {
 public:
  std::string_view Get(std::string_view name) const;  // the first, or ""
  bool Has(std::string_view name) const;
  std::vector<std::string_view> All(std::string_view name) const;
  void Add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  void Set(std::string_view name, std::string value);  // replaces all of that name
  void Remove(std::string_view name);
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// Facts of the connection, shared by its requests. Immutable once the handshake ended.
struct Peer {
  std::string remote_address;  // "127.0.0.1:51234"
  bool tls = false;
  std::vector<std::string> certificates;  // the client's chain as sent, DER, leaf first; not verified here
};

struct Request {
  std::string method;
  std::string path;       // as received, still escaped, without query
  std::string raw_query;  // without '?'
  std::string authority;  // Host
  int http_major = 1;
  Headers headers;
  std::string body;
  bool body_too_large = false;
  std::string body_error;  // why the body could not be read whole; it is empty then
  std::shared_ptr<const Peer> peer;
};

// A body made piece by piece as the connection drains. Pulled by the connection on its I/O thread, destroyed there too.
class BodySource {
 public:
  enum class State {
    kMore,  // appended something; ask again when there is room
    kWait,  // appended nothing, nothing to give now: the waker will be called
    kEnd,   // no more after what was appended
    kFail,  // broken off: the connection resets the stream
  };
  virtual ~BodySource() = default;
  // Appends slices of about `max_bytes` together (a slice that is larger is given whole). Cheap and never blocks.
  virtual State Pull(size_t max_bytes, std::vector<base::Slice>& out) = 0;
  // Called once, before the first Pull. `wake` may be called from any thread, any number of times, until this object is
  // destroyed.
  virtual void SetWaker(absl::AnyInvocable<void()> wake) = 0;
};

// When http/ sends an answer as gzip.
enum class Compression : uint8_t {
  kNone,
  kWhenLarge,  // where the client takes plain `gzip` and the body is large
  kWhenTaken,  // where the client takes `gzip`, at whatever weight
};

struct Response {
  int status = 200;
  Headers headers;
  // Whole answers have a known length; streams are chunked (HTTP/1.1) or ended by END_STREAM.
  std::variant<std::vector<base::Slice>, std::unique_ptr<BodySource>> body;
  bool is_watch = false;       // long-running: not counted in flight, ended cleanly at stop
  bool is_taken_over = false;  // the connection speaks another protocol now, or failed to: no stage adds headers
  Compression compression = Compression::kNone;
};

class Exchange {
 public:
  Exchange(Request request, base::Executor& executor) : request_(std::move(request)), executor_(executor) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const Request& request() const { return request_; }
  // Ends the exchange's use: whoever made it takes the request back.
  Request TakeRequest() { return std::move(request_); }
  // The request has no body yet, and all that is asked is whether it may send one (Handler::Admit).
  void JudgeHeadOnly() { head_only_ = true; }
  bool head_only() const { return head_only_; }
  api::RequestContext& context() { return context_; }
  const api::RequestContext& context() const { return context_; }
  base::Executor& executor() { return executor_; }
  // True once the client is gone: what is still running may stop early, its answer is dropped.
  bool abandoned() const { return abandoned_; }
  void Abandon() { abandoned_ = true; }

 private:
  Request request_;
  base::Executor& executor_;
  api::RequestContext context_;
  bool abandoned_ = false;
  bool head_only_ = false;
};

// What Handler::Admit found out.
struct Admission {
  std::optional<Response> refusal;  // the answer; the body is not read
  std::string user;                 // whose share of the memory for bodies the body is
};

class Handler {
 public:
  virtual ~Handler() = default;
  // Judges a request by its head, before a large body of it is taken: everything that Handle looks at before it needs
  // the body. Handle is called all the same when the body is there. Never waits; on exchange.executor()'s thread.
  virtual Admission Admit(Exchange& exchange) {
    static_cast<void>(exchange);
    return {};
  }
  // `exchange` outlives the Task. Called on exchange.executor()'s thread; many at a time on several threads.
  virtual base::Task<Response> Handle(Exchange& exchange) = 0;
};

}  // namespace exchange
