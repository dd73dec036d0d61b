#include "server/etcd_link.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "server/etcd_face.h"
#include "value/arena.h"
#include "value/json_reader.h"

namespace server {
namespace {

using base::Cat;
using base::Code;

constexpr size_t kMaxLine = 64 << 10;

struct Address {
  std::string host, port;
};

base::Result<Address> ParseUrl(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) {
    return base::Fail(Code::kInvalid,
                      Cat("--etcd-servers ", url, ": only http:// URLs of Fairlead's own etcd are served yet"));
  }
  url.remove_prefix(kScheme.size());
  url = url.substr(0, url.find('/'));
  size_t colon = url.rfind(':');
  if (colon == std::string_view::npos) return Address{std::string(url), "80"};
  std::string_view host = url.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return Address{std::string(host), std::string(url.substr(colon + 1))};
}

// A connected socket, or -1.
int Connect(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found) != 0) return -1;
  int fd = -1;
  for (addrinfo* each = found; each != nullptr && fd < 0; each = each->ai_next) {
    fd = socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (fd >= 0 && connect(fd, each->ai_addr, each->ai_addrlen) != 0) {
      close(fd);
      fd = -1;
    }
  }
  freeaddrinfo(found);
  return fd;
}

bool SendAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

base::Result<std::unique_ptr<EtcdLink>> EtcdLink::Open(const std::vector<std::string>& urls) {
  std::vector<Address> addresses;
  for (const std::string& url : urls) {
    base::Result<Address> address = ParseUrl(url);
    if (!address) return std::unexpected(address.error());
    addresses.push_back(*std::move(address));
  }
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kOpenSeconds);
  while (true) {
    for (const Address& address : addresses) {
      int fd = Connect(address);
      if (fd < 0) continue;
      // HTTP/1.0: the answer has no chunks, and lasts as long as the connection.
      std::string request = Cat("GET ", kEtcdLinkPath, " HTTP/1.0\r\nHost: ", address.host, "\r\n\r\n");
      std::unique_ptr<EtcdLink> link(new EtcdLink(fd));
      if (!SendAll(fd, request)) continue;
      base::Result<> greeted = link->ReadGreeting();
      if (!greeted) return std::unexpected(greeted.error());
      link->listener_ = std::thread([raw = link.get()] { raw->Listen(); });
      return link;
    }
    if (std::chrono::steady_clock::now() > end) {
      return base::Fail(Code::kUnavailable, Cat("--etcd-servers ", base::Join(urls, ","), ": nobody answers"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

EtcdLink::~EtcdLink() {
  shutdown(fd_, SHUT_RDWR);  // ends the listener's read
  if (listener_.joinable()) listener_.join();
  close(fd_);
}

void EtcdLink::OnCompact(std::function<void(engine::Revision)> compact) {
  std::lock_guard lock(mutex_);
  compact_ = std::move(compact);
}

bool EtcdLink::ReadLine(std::string& line) {
  while (true) {
    if (size_t end = received_.find('\n'); end != std::string::npos) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return true;
    }
    if (received_.size() > kMaxLine) return false;
    char buffer[4096];
    ssize_t got = recv(fd_, buffer, sizeof(buffer), 0);
    if (got <= 0) return false;
    received_.append(buffer, static_cast<size_t>(got));
  }
}

base::Result<> EtcdLink::ReadGreeting() {
  const base::Error stranger{
      Code::kUnavailable,
      "--etcd-servers names an etcd that is not Fairlead's own: a real one cannot be the store yet"};
  std::string line;
  if (!ReadLine(line) || line.find(" 200") == std::string::npos) return std::unexpected(stranger);
  while (ReadLine(line) && !line.empty()) continue;
  if (!ReadLine(line)) return std::unexpected(stranger);
  value::Arena arena;
  base::Result<value::Value> greeting = value::ReadJson(line, arena);
  if (!greeting || !greeting->is_object()) return std::unexpected(stranger);
  const value::Value* directory = greeting->Find("directory");
  const value::Value* sync = greeting->Find("sync");
  if (directory == nullptr || !directory->is_string()) return std::unexpected(stranger);
  directory_ = directory->AsString();
  sync_ = sync == nullptr || !sync->is_bool() || sync->AsBool();
  return {};
}

void EtcdLink::Listen() {
  std::string line;
  while (ReadLine(line)) {
    value::Arena arena;
    base::Result<value::Value> said = value::ReadJson(line, arena);
    const value::Value* revision = said && said->is_object() ? said->Find("compact") : nullptr;
    if (revision == nullptr || !revision->is_int()) continue;
    std::lock_guard lock(mutex_);
    if (compact_) compact_(engine::Revision(revision->AsInt()));
  }
}

}  // namespace server
