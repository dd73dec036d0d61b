#include "http/name_lookup.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/text.h"

namespace http {
namespace {

using base::Cat;
using Addresses = std::vector<std::string>;

bool IsAddress(const std::string& host) {
  in6_addr parsed{};
  return inet_pton(AF_INET, host.c_str(), &parsed) == 1 || inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

base::Result<Addresses> Ask(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (failed != 0) {
    const bool absent = failed == EAI_NONAME || failed == EAI_NODATA;
    return base::Fail(base::Code::kUnavailable,
                      Cat("lookup ", host, ": ", absent ? "no such host" : "server misbehaving"));
  }
  Addresses addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    char text[NI_MAXHOST];
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) continue;
    if (std::ranges::find(addresses, text) == addresses.end()) addresses.emplace_back(text);
  }
  freeaddrinfo(found);
  return addresses;
}

}  // namespace

struct NameLookup::Shared {
  void Run() {
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      wake.wait(lock, [&] { return ended || !waiting.empty(); });
      --idle;
      if (ended) return;
      auto [host, done] = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      auto addresses = Ask(host);
      lock.lock();
      if (ended) return;
      // With the lock: the owner's destructor waits for a call that is under way.
      done(std::move(addresses));
    }
  }

  std::mutex mutex;
  std::condition_variable wake;
  bool ended = false;
  int threads = 0, idle = 0;
  std::deque<std::pair<std::string, Done>> waiting;
};

NameLookup::NameLookup() : shared_(std::make_shared<Shared>()) {}

NameLookup::~NameLookup() {
  const std::lock_guard lock(shared_->mutex);
  shared_->ended = true;
  shared_->waiting.clear();
  shared_->wake.notify_all();
}

void NameLookup::Find(const std::string& host, Done done) {
  if (IsAddress(host)) return done(Addresses{host});
  if (base::EqualsIgnoreCase(host, "localhost")) return done(Addresses{"127.0.0.1", "::1"});
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->waiting.size() < kMostWaiting) {
      shared_->waiting.emplace_back(host, std::move(done));
      if (shared_->idle > 0) return shared_->wake.notify_one();
      if (shared_->threads == kMostThreads) return;
      ++shared_->threads;
      std::thread([shared = shared_] { shared->Run(); }).detach();
      return;
    }
  }
  done(base::Fail(base::Code::kExhausted, Cat("lookup ", host, ": too many lookups are under way")));
}

}  // namespace http
