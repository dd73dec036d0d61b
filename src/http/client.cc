#include "http/client.h"

#include <algorithm>
#include <deque>
#include <future>
#include <utility>

#include "base/text.h"
#include "http/client_connection.h"

namespace http {
namespace {

using base::Cat;
using exchange::OutboundFailure;
using exchange::OutboundResult;

constexpr size_t kInput = 64 << 10;

}  // namespace

// What is on one loop: its calls, and its connections by destination.
class ClientLane final : public ClientConnection::Host {
 public:
  ClientLane(Client& client, EventLoop& loop) : client_(client), loop_(loop), input_(kInput) {}

  EventLoop& loop() override { return loop_; }
  std::vector<char>& input() override { return input_; }

  void Begin(std::unique_ptr<ClientCall> owned) {
    ClientCall& call = *owned;
    calls_[&call] = std::move(owned);
    auto context = client_.ContextOf(*call.request.tls);
    if (!context) {
      return Finish(call, std::unexpected(OutboundFailure{.message = context.error().message, .bad_settings = true}));
    }
    const auto left = call.request.deadline - std::chrono::steady_clock::now();
    const auto most = std::chrono::duration_cast<std::chrono::milliseconds>(left);
    call.deadline = loop_.PostAfter(std::max(most, std::chrono::milliseconds(0)), [this, &call] { TimeOut(call); });
    Destination& destination = DestinationOf(call, *context);
    Place(destination, call);
  }

  // Closes all that is open; calls end with an error.
  void Close() {
    while (!calls_.empty()) TimeOut(*calls_.begin()->first);
    for (auto& [connection, kept] : connections_) {
      connection->Close();
      loop_.DestroyLater(std::move(kept.connection));
    }
    connections_.clear();
    destinations_.clear();
  }

  void Answered(ClientConnection& connection, OutboundResult result, bool reusable) override {
    Kept& kept = connections_.at(&connection);
    ClientCall& call = *std::exchange(kept.call, nullptr);
    Destination& destination = *kept.destination;
    if (!reusable) {
      Drop(connection);
    } else if (ClientCall* next = NextWaiting(destination)) {
      kept.call = next;
      connection.Send(*next);
    } else if (destination.idle.size() < client_.limits_.idle) {
      destination.idle.push_back(&connection);
      connection.rest = loop_.PostAfter(client_.limits_.idle_time, [this, &connection] { Ended(connection); });
    } else {
      Drop(connection);
    }
    Finish(call, std::move(result));
  }

  void ClosedBefore(ClientConnection& connection) override {
    Kept& kept = connections_.at(&connection);
    ClientCall& call = *std::exchange(kept.call, nullptr);
    Destination& destination = *kept.destination;
    // Those that rest have most likely been closed with it.
    while (!destination.idle.empty()) Ended(*destination.idle.back());
    if (std::exchange(call.repeated, true)) {
      Drop(connection);
      return Finish(call, std::unexpected(OutboundFailure{.message = "EOF"}));
    }
    destination.waiting.push_front(&call);
    Drop(connection);  // which gives its place to the call
  }

  void Ended(ClientConnection& connection) override {
    auto& idle = connections_.at(&connection).destination->idle;
    std::erase(idle, &connection);
    Drop(connection);
  }

 private:
  struct Destination {
    std::string key;
    std::shared_ptr<const ClientTlsContext> context;
    size_t open = 0;
    std::vector<ClientConnection*> idle;
    std::deque<ClientCall*> waiting;
  };
  struct Kept {
    std::unique_ptr<ClientConnection> connection;
    Destination* destination = nullptr;
    ClientCall* call = nullptr;
    uint64_t id = 0;
  };

  Destination& DestinationOf(const ClientCall& call, const std::shared_ptr<const ClientTlsContext>& context) {
    const exchange::OutboundRequest& request = call.request;
    std::string key = Cat(reinterpret_cast<uintptr_t>(context.get()), " ", request.port, " ", request.host, " ",
                          request.tls->server_name);
    std::unique_ptr<Destination>& found = destinations_[key];
    if (!found) found = std::make_unique<Destination>(Destination{.key = std::move(key), .context = context});
    return *found;
  }

  // Gives the call a connection, or a place in the queue.
  void Place(Destination& destination, ClientCall& call) {
    if (!destination.idle.empty()) {
      ClientConnection& connection = *destination.idle.back();
      destination.idle.pop_back();
      connection.rest.reset();
      connections_.at(&connection).call = &call;
      return connection.Send(call);
    }
    if (destination.open == client_.limits_.connections) {
      destination.waiting.push_back(&call);
      return;
    }
    if (connections_.size() >= client_.limits_.all_connections && !EndOneAtRest()) {
      destination.waiting.push_back(&call);
      starved_ = true;
      return;
    }
    Open(destination, call);
  }

  void Open(Destination& destination, ClientCall& call) {
    auto made = std::make_unique<ClientConnection>(*this, destination.context);
    ClientConnection& connection = *made;
    const uint64_t id = ++last_id_;
    connections_[&connection] = {.connection = std::move(made), .destination = &destination, .call = &call, .id = id};
    ++destination.open;
    client_.lookup_->Find(call.request.host, [this, &connection, id](auto addresses) {
      if (loop_.OnLoopThread()) return Found(connection, id, std::move(addresses));
      loop_.Post([this, &connection, id, addresses = std::move(addresses)]() mutable {
        Found(connection, id, std::move(addresses));
      });
    });
  }

  // The connection may have gone meanwhile.
  void Found(ClientConnection& connection, uint64_t id, base::Result<std::vector<std::string>> addresses) {
    const auto kept = connections_.find(&connection);
    if (kept == connections_.end() || kept->second.id != id) return;
    if (addresses) return connection.Open(*kept->second.call, *std::move(addresses));
    Answered(connection, std::unexpected(OutboundFailure{.message = Cat("dial tcp: ", addresses.error().message)}),
             /*reusable=*/false);
  }

  bool EndOneAtRest() {
    for (auto& [key, destination] : destinations_) {
      if (destination->idle.empty()) continue;
      Ended(*destination->idle.front());
      return true;
    }
    return false;
  }

  static ClientCall* NextWaiting(Destination& destination) {
    if (destination.waiting.empty()) return nullptr;
    ClientCall* next = destination.waiting.front();
    destination.waiting.pop_front();
    return next;
  }

  // Closes a connection that has no call; its place goes to who waits.
  void Drop(ClientConnection& connection) {
    const auto kept = connections_.find(&connection);
    Destination& destination = *kept->second.destination;
    connection.Close();
    loop_.DestroyLater(std::move(kept->second.connection));
    connections_.erase(kept);
    --destination.open;
    if (ClientCall* next = NextWaiting(destination)) return Open(destination, *next);
    if (destination.open == 0) destinations_.erase(std::string(destination.key));
    if (!starved_) return;
    starved_ = false;
    for (auto& [key, other] : destinations_) {
      if (ClientCall* next = NextWaiting(*other)) {
        starved_ = true;
        return Open(*other, *next);
      }
    }
  }

  void TimeOut(ClientCall& call) {
    OutboundFailure failure{.message = "context deadline exceeded", .timed_out = true};
    for (auto& [connection, kept] : connections_) {
      if (kept.call != &call) continue;
      kept.call = nullptr;
      failure.in_body = connection->in_body();
      Drop(*connection);
      return Finish(call, std::unexpected(std::move(failure)));
    }
    for (auto& [key, destination] : destinations_) std::erase(destination->waiting, &call);
    Finish(call, std::unexpected(std::move(failure)));
  }

  void Finish(ClientCall& call, OutboundResult result) {
    const auto found = calls_.find(&call);
    const std::unique_ptr<ClientCall> owned = std::move(found->second);
    calls_.erase(found);
    owned->deadline.reset();
    owned->done(std::move(result));
  }

  Client& client_;
  EventLoop& loop_;
  std::vector<char> input_;
  uint64_t last_id_ = 0;
  bool starved_ = false;  // calls wait for a connection that another destination has
  absl::flat_hash_map<ClientCall*, std::unique_ptr<ClientCall>> calls_;
  absl::flat_hash_map<std::string, std::unique_ptr<Destination>> destinations_;
  absl::flat_hash_map<ClientConnection*, Kept> connections_;
};

Client::Client(std::vector<EventLoop*> loops, ClientLimits limits) : limits_(limits) {
  for (EventLoop* loop : loops) lanes_.push_back(std::make_unique<ClientLane>(*this, *loop));
}

Client::~Client() {
  lookup_.reset();  // what it found is posted before what comes now
  for (const auto& lane : lanes_) {
    std::promise<void> closed;
    lane->loop().Post([&] {
      lane->Close();
      closed.set_value();
    });
    closed.get_future().wait();
  }
}

ClientLane& Client::LaneOf(base::Executor& executor) {
  for (const auto& lane : lanes_) {
    if (&lane->loop() == &executor) return *lane;
  }
  return *lanes_[0];
}

base::Result<std::shared_ptr<const ClientTlsContext>> Client::ContextOf(const exchange::TlsSettings& settings) {
  const std::string key =
      Cat(settings.verifies ? "v" : "-", settings.authorities_pem.size(), " ", settings.authorities_pem,
          settings.certificate_pem.size(), " ", settings.certificate_pem, settings.key_pem);
  const std::lock_guard lock(mutex_);
  if (const auto found = contexts_.find(key); found != contexts_.end()) return found->second;
  auto made = ClientTlsContext::Make(settings);
  if (!made) return made;
  if (contexts_.size() >= limits_.tls_settings) contexts_.clear();
  contexts_[key] = *made;
  return made;
}

base::Task<OutboundResult> Client::Call(base::Executor& executor, exchange::OutboundRequest request) {
  ClientLane& lane = LaneOf(executor);
  auto call = std::make_unique<ClientCall>();
  call->request = std::move(request);
  co_return co_await base::Await<OutboundResult>(executor, [&lane, &call](auto done) {
    call->done = std::move(done);
    lane.loop().Post([&lane, call = std::move(call)]() mutable { lane.Begin(std::move(call)); });
  });
}

}  // namespace http
