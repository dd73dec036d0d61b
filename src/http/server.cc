#include "http/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <future>
#include <thread>
#include <utility>

#include "http/acceptor.h"

namespace http {
namespace {

constexpr std::chrono::milliseconds kLookAgain(2);
constexpr std::chrono::milliseconds kDrainStep(50);

// Runs `work` on the loop and waits for its end.
template <class F>
auto RunOn(EventLoop& loop, F work) {
  std::packaged_task<decltype(work())()> task(std::move(work));
  auto result = task.get_future();
  loop.Post([&task] { task(); });
  return result.get();
}

// With no more connections than this process may have descriptors for.
Limits Possible(Limits limits) {
  rlimit files{};
  const bool limited = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY;
  if (limited) limits.connections = MostConnections(limits, static_cast<int64_t>(files.rlim_cur));
  return limits;
}

}  // namespace

int MostConnections(const Limits& limits, int64_t descriptors) {
  const int64_t reserve = std::min<int64_t>(limits.reserved_descriptors, descriptors / 2);
  return static_cast<int>(std::min<int64_t>(limits.connections, descriptors - reserve));
}

Server::Server(const ServerOptions& options, exchange::Handler& handler, IoThreads& io)
    : service_(Possible(options.limits), handler), io_(io) {
  service_.on_failure = options.on_failure;
}

base::Result<std::unique_ptr<Server>> Server::Start(const ServerOptions& options, exchange::Handler& handler,
                                                    IoThreads& io) {
  std::unique_ptr<Server> server(new Server(options, handler, io));
  std::unique_ptr<ServedCertificate> certificate;
  if (options.tls) {
    auto loaded = ServedCertificate::Load(options.certificate, options.named_certificates, options.tls_parameters);
    if (!loaded) return std::unexpected(std::move(loaded.error()));
    certificate = std::move(*loaded);
  }
  auto fd = Listen({options.bind_address, options.port, options.reuse_port}, server->port_);
  if (!fd) return std::unexpected(std::move(fd.error()));
  std::vector<Lane*> lanes;
  lanes.reserve(static_cast<size_t>(io.size()));
  for (int i = 0; i < io.size(); ++i) {
    lanes.push_back(server->lanes_.emplace_back(std::make_unique<Lane>(server->service_, io.loop(i))).get());
  }
  server->acceptor_ =
      std::make_unique<Acceptor>(*fd, io.loop(0), std::move(certificate), std::move(lanes), server->service_);
  auto opened = RunOn(io.loop(0), [&] { return server->acceptor_->Open(); });
  if (!opened) return std::unexpected(std::move(opened.error()));
  return server;
}

Server::~Server() { Stop(std::chrono::milliseconds(0)); }

void Server::WaitForRequests(std::chrono::milliseconds most) const {
  const auto deadline = std::chrono::steady_clock::now() + most;
  while (service_.calls.load(std::memory_order_acquire) != 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kLookAgain);
  }
}

// An equal number of connections in each step.
void Server::DrainSlowly(std::chrono::milliseconds time) {
  const auto steps = std::max<int64_t>(time / kDrainStep, 1);
  for (int64_t left = steps; left > 0 && connections() > 0; --left) {
    for (auto& lane : lanes_) {
      const int most = static_cast<int>((lane->load().load(std::memory_order_acquire) + left - 1) / left);
      RunOn(lane->loop(), [&lane, most] { lane->DrainSome(most); });
    }
    std::this_thread::sleep_for(kDrainStep);
  }
}

void Server::Stop(std::chrono::milliseconds grace, std::chrono::milliseconds watch_grace) {
  if (std::exchange(stopped_, true) || acceptor_ == nullptr) return;
  auto deadline = std::chrono::steady_clock::now() + grace + watch_grace;
  // An acceptor destroyed on its loop has no event of the round left that could name it.
  RunOn(io_.loop(0), [this] {
    acceptor_->Close();
    io_.loop(0).DestroyLater(std::move(acceptor_));
  });
  if (watch_grace.count() > 0) DrainSlowly(watch_grace);
  for (auto& lane : lanes_) RunOn(lane->loop(), [&lane] { lane->Drain(); });
  WaitUntilIdle(deadline);
  for (auto& lane : lanes_) RunOn(lane->loop(), [&lane] { lane->Abort(); });
  // Handlers whose client is gone still hold the service: each ends when what it waits for answers.
  WaitUntilIdle(std::chrono::steady_clock::time_point::max());
  // The connections of the last round are destroyed at its end.
  for (auto& lane : lanes_) RunOn(lane->loop(), [] {});
}

int Server::connections() const {
  int all = 0;
  for (const auto& lane : lanes_) all += lane->load().load(std::memory_order_acquire);
  return all;
}

bool Server::WaitUntilIdle(std::chrono::steady_clock::time_point deadline) const {
  while (connections() != 0 || service_.calls.load(std::memory_order_acquire) != 0) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

}  // namespace http
