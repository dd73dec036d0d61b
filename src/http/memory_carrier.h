// For tests, fuzzers and benchmarks: a session carried in memory, and a handler whose answers tell what it was asked.
// Drives its own event loop on the calling thread; no sockets, no TLS.
#pragma once

#include <openssl/err.h>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/session.h"

namespace http::testing {

// Events of one stream, fed by the test from any thread.
class Feed {
 public:
  void Send(std::string event) {
    std::lock_guard lock(mutex_);
    events_.push_back(base::Slice::Own(std::move(event)));
    if (wake_) wake_();
  }
  void End(exchange::BodySource::State state = exchange::BodySource::State::kEnd) {
    std::lock_guard lock(mutex_);
    end_ = state;
    if (wake_) wake_();
  }
  bool attached() const { return attached_; }
  int pulls() const { return pulls_; }

 private:
  friend class FeedSource;
  std::mutex mutex_;
  std::vector<base::Slice> events_;
  exchange::BodySource::State end_ = exchange::BodySource::State::kWait;
  absl::AnyInvocable<void()> wake_;
  bool attached_ = false;
  int pulls_ = 0;
};

class FeedSource final : public exchange::BodySource {
 public:
  explicit FeedSource(std::shared_ptr<Feed> feed) : feed_(std::move(feed)) { feed_->attached_ = true; }
  ~FeedSource() override {
    std::lock_guard lock(feed_->mutex_);
    feed_->attached_ = false;
    feed_->wake_ = nullptr;
  }
  void SetWaker(absl::AnyInvocable<void()> wake) override {
    std::lock_guard lock(feed_->mutex_);
    feed_->wake_ = std::move(wake);
  }
  State Pull(size_t, std::vector<base::Slice>& out) override {
    std::lock_guard lock(feed_->mutex_);
    ++feed_->pulls_;
    if (feed_->events_.empty()) return feed_->end_;
    for (base::Slice& event : feed_->events_) out.push_back(std::move(event));
    feed_->events_.clear();
    return State::kMore;
  }

 private:
  std::shared_ptr<Feed> feed_;
};

// Pieces of the given size, made as they are pulled.
class SizedSource final : public exchange::BodySource {
 public:
  explicit SizedSource(size_t size) : left_(size) {}
  void SetWaker(absl::AnyInvocable<void()>) override {}
  State Pull(size_t max_bytes, std::vector<base::Slice>& out) override {
    static const std::string kPiece(4096, 'z');
    size_t size = std::min({left_, max_bytes, kPiece.size()});
    left_ -= size;
    out.push_back(base::Slice::Static(std::string_view(kPiece).substr(0, size)));
    return left_ == 0 ? State::kEnd : State::kMore;
  }

 private:
  size_t left_;
};

// A body for which there is no memory: where it is attached, or where it is pulled.
class StarvedSource final : public exchange::BodySource {
 public:
  explicit StarvedSource(bool at_once) : at_once_(at_once) {}
  void SetWaker(absl::AnyInvocable<void()>) override {
    if (at_once_) throw std::bad_alloc();
  }
  State Pull(size_t, std::vector<base::Slice>&) override { throw std::bad_alloc(); }

 private:
  bool at_once_;
};

// /echo: method, target and body length; /watch/NAME: the feed of that name; /size/N: N bytes whole (64 MiB at most);
// /stream/N: N bytes as a stream; /throw: an exception; /starved/at-once, /starved/later: see StarvedSource;
// /park/NAME: waits until Release(NAME); /empty: 204; /close: as the last answer; anything else: "ok".
class EchoHandler final : public exchange::Handler {
 public:
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override {
    const exchange::Request& request = exchange.request();
    exchange::Response response;
    response.headers.Add("content-type", "text/plain");
    const std::string path = request.path;
    if (path == "/throw") throw std::runtime_error("broken on purpose");
    if (path == "/complain") ERR_raise(ERR_LIB_USER, 1);  // as whoever uses OpenSSL and does not clean up
    if (path == "/close") response.headers.Add("connection", "close");
    if (path == "/empty") {
      response.status = 204;
    } else if (path.starts_with("/watch/")) {
      response.body = std::make_unique<FeedSource>(feed(path.substr(7)));
      response.is_watch = true;
    } else if (path.starts_with("/starved/")) {
      response.body = std::make_unique<StarvedSource>(path == "/starved/at-once");
    } else if (path.starts_with("/stream/")) {
      response.body = std::make_unique<SizedSource>(std::stoul(path.substr(8)));
    } else if (path.starts_with("/size/")) {
      const size_t size = std::min<size_t>(std::stoul(path.substr(6)), kLargestWhole);
      response.body = std::vector<base::Slice>{base::Slice::Own(std::string(size, 's'))};
      response.compression = exchange::Compression::kWhenLarge;
    } else if (path.starts_with("/park/")) {
      co_await base::Await<int>(exchange.executor(), [&](auto done) { Park(path.substr(6), std::move(done)); });
      SetBody(exchange.abandoned() ? "abandoned" : "released", response);
      std::lock_guard lock(mutex_);
      if (exchange.abandoned()) ++abandoned_;
    } else if (path == "/echo") {
      SetBody(Describe(request), response);
    } else {
      SetBody("ok", response);
    }
    co_return response;
  }

  // Requests whose `authorization` is "bad" are refused; "user" names the user.
  exchange::Admission Admit(exchange::Exchange& exchange) override {
    ++admitted_;
    exchange::Admission admission;
    if (exchange.request().headers.Get("authorization") == "bad") {
      admission.refusal.emplace();
      admission.refusal->status = 401;
      SetBody("who are you", *admission.refusal);
    }
    admission.user = exchange.request().headers.Get("user");
    return admission;
  }
  int admitted() const { return admitted_; }

  std::shared_ptr<Feed> feed(const std::string& name) {
    std::lock_guard lock(mutex_);
    std::shared_ptr<Feed>& feed = feeds_[name];
    if (feed == nullptr) feed = std::make_shared<Feed>();
    return feed;
  }
  bool Parked(const std::string& name) {
    std::lock_guard lock(mutex_);
    return parked_.contains(name);
  }
  void Release(const std::string& name) {
    std::unique_lock lock(mutex_);
    auto node = parked_.extract(name);
    lock.unlock();
    if (!node.empty()) node.mapped()(0);
  }
  void ReleaseAll() {
    while (true) {
      std::unique_lock lock(mutex_);
      if (parked_.empty()) return;
      const std::string name = parked_.begin()->first;
      lock.unlock();
      Release(name);
    }
  }
  int abandoned() {
    std::lock_guard lock(mutex_);
    return abandoned_;
  }

 private:
  static constexpr size_t kLargestWhole = 64 << 20;

  static void SetBody(std::string text, exchange::Response& response) {
    response.body = std::vector<base::Slice>{base::Slice::Own(std::move(text))};
  }
  static std::string Describe(const exchange::Request& request) {
    std::string text = request.method + " " + request.path + "?" + request.raw_query + " at " + request.authority +
                       " with " +
                       (request.body_error.empty() ? std::to_string(request.body.size()) : request.body_error);
    if (request.body_too_large) text += " too large";
    if (request.peer != nullptr) text += " certificates " + std::to_string(request.peer->certificates.size());
    return text;
  }
  void Park(const std::string& name, absl::AnyInvocable<void(int)> done) {
    std::lock_guard lock(mutex_);
    parked_.emplace(name, std::move(done));
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Feed>> feeds_;
  std::multimap<std::string, absl::AnyInvocable<void(int)>> parked_;
  int abandoned_ = 0;
  std::atomic<int> admitted_ = 0;  // heads judged
};

class StringSink final : public Sink {
 public:
  StringSink(std::string& out, size_t room) : out_(out), room_(room) {}
  size_t room() const override { return room_; }
  void Write(std::string_view bytes) override {
    out_ += bytes;
    room_ -= std::min(room_, bytes.size());
  }

 private:
  std::string& out_;
  size_t room_;
};

class MemoryCarrier final : public Carrier {
 public:
  using Make = std::unique_ptr<Session> (*)(Service&, Carrier&);
  MemoryCarrier(Service& service, Make make)
      : loop_(std::move(*EventLoop::Create())),
        peer_(std::make_shared<exchange::Peer>()),
        session_(make(service, *this)) {}
  ~MemoryCarrier() override {
    session_.reset();
    loop_->RunOnce(std::chrono::milliseconds(0));
  }

  EventLoop& loop() override { return *loop_; }
  std::shared_ptr<const exchange::Peer> peer() override { return peer_; }
  void WantFlush() override { wants_flush_ = true; }

  Session& session() { return *session_; }
  bool wants_flush() const { return wants_flush_; }

  // Gives `input` and returns what comes out, at most about `room` bytes.
  std::string Exchange(std::string_view input, size_t room = SIZE_MAX) {
    if (!input.empty()) session_->Receive(input);
    return Flush(room);
  }
  std::string Flush(size_t room = SIZE_MAX) {
    std::string out;
    for (int quiet = 0; quiet < 2; ++quiet) {
      loop_->RunOnce(std::chrono::milliseconds(0));
      size_t before = out.size();
      wants_flush_ = false;
      StringSink sink(out, room - std::min(room, out.size()));
      session_->Produce(sink);
      if (out.size() != before) quiet = -1;
      if (out.size() >= room) break;
    }
    return out;
  }

 private:
  std::unique_ptr<EventLoop> loop_;
  std::shared_ptr<exchange::Peer> peer_;
  std::unique_ptr<Session> session_;
  bool wants_flush_ = false;
};

// What the requests of a service hold against its budgets.
inline int64_t Taken(const Service& service) { return service.early.taken() + service.bodies.taken(); }

}  // namespace http::testing
