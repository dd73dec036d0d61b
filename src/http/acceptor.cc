#include "http/acceptor.h"
#include "http/system_failure.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace http {
namespace {

constexpr int kBacklog = 4096;
constexpr int kAcceptsATurn = 64;
constexpr std::chrono::milliseconds kRetry(100);
constexpr int kKeepAliveSeconds = 15;  // silent connections are asked whether they live, as Go does

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

void SetOption(int fd, int level, int name, int value) { setsockopt(fd, level, name, &value, sizeof value); }

bool ParseAddress(const std::string& text, uint16_t port, Address& address, socklen_t& size) {
  memset(&address, 0, sizeof address);
  bool unspecified = text.empty() || text == "0.0.0.0" || text == "::";
  if (!unspecified && inet_pton(AF_INET, text.c_str(), &address.v4.sin_addr) == 1) {
    address.v4.sin_family = AF_INET;
    address.v4.sin_port = htons(port);
    size = sizeof address.v4;
    return true;
  }
  if (!unspecified && inet_pton(AF_INET6, text.c_str(), &address.v6.sin6_addr) != 1) return false;
  address.v6.sin6_family = AF_INET6;
  address.v6.sin6_port = htons(port);
  size = sizeof address.v6;
  return true;
}

std::string Text(const Address& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.any.sa_family == AF_INET) {
    inet_ntop(AF_INET, &address.v4.sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(address.v4.sin_port));
  }
  std::string port = ":" + std::to_string(ntohs(address.v6.sin6_port));
  if (IN6_IS_ADDR_V4MAPPED(&address.v6.sin6_addr)) {
    inet_ntop(AF_INET, &address.v6.sin6_addr.s6_addr[12], text, sizeof text);
    return text + port;
  }
  inet_ntop(AF_INET6, &address.v6.sin6_addr, text, sizeof text);
  return "[" + std::string(text) + "]" + port;
}

// Binds and listens. -1 with errno.
int Bind(Address& address, socklen_t size, bool reuse_port) {
  int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (reuse_port) SetOption(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  if (address.any.sa_family == AF_INET6) SetOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(fd, &address.any, size) == 0 && listen(fd, kBacklog) == 0) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

}  // namespace

base::Result<int> Listen(const ListenOptions& options, uint16_t& port) {
  Address address;
  socklen_t size = 0;
  if (!ParseAddress(options.address, options.port, address, size)) {
    return base::Fail(base::Code::kInvalid, "not an address to listen on: " + options.address);
  }
  int fd = Bind(address, size, options.reuse_port);
  bool unspecified = options.address.empty() || options.address == "0.0.0.0";
  if (fd < 0 && errno == EAFNOSUPPORT && unspecified) {  // a machine without IPv6
    memset(&address, 0, sizeof address);
    address.v4.sin_family = AF_INET;
    address.v4.sin_port = htons(options.port);
    fd = Bind(address, sizeof address.v4, options.reuse_port);
  }
  if (fd < 0) {
    return SystemFailure(base::Cat("listen on ", options.address, " port ", options.port));
  }
  size = sizeof address;
  getsockname(fd, &address.any, &size);
  port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
  return fd;
}

Acceptor::Acceptor(int fd, EventLoop& loop, std::unique_ptr<ServedCertificate> certificate, std::vector<Lane*> lanes,
                   Service& service)
    : fd_(fd), loop_(loop), certificate_(std::move(certificate)), lanes_(std::move(lanes)), service_(service) {}

Acceptor::~Acceptor() {
  if (!closed_) close(fd_);
}

base::Result<> Acceptor::Open() { return loop_.Add(fd_, *this); }

void Acceptor::Close() {
  if (closed_) return;
  closed_ = true;
  loop_.Remove(fd_);
  loop_.Forget(*this);
  retry_.reset();
  close(fd_);
}

void Acceptor::RunDeferred() {
  if (closed_) return;
  for (int i = 0; i < kAcceptsATurn; ++i) {
    Address address;
    socklen_t size = sizeof address;
    int fd = accept4(fd_, &address.any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      HandOver(fd, Text(address));
      continue;
    }
    if (errno == EAGAIN) return;
    if (errno == EINTR || errno == ECONNABORTED) continue;
    retry_ = loop_.PostAfter(kRetry, [this] { RunDeferred(); });  // out of descriptors or memory
    return;
  }
  loop_.Defer(*this);
}

void Acceptor::HandOver(int fd, std::string remote_address) noexcept try {
  AcceptedSocket socket(fd, remote_address, Place(service_, AddressOf({.remote_address = remote_address})));
  if (!socket.place.taken()) return;
  Lane* lane = nullptr;
  int least = 0;
  for (size_t i = 0; i < lanes_.size(); ++i) {
    Lane* candidate = lanes_[(next_ + i) % lanes_.size()];
    int load = candidate->load().load(std::memory_order_relaxed);
    if (lane == nullptr || load < least) {
      lane = candidate;
      least = load;
    }
  }
  ++next_;
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveSeconds);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveSeconds);
  socket.place.In(*lane);
  std::shared_ptr<const TlsContext> tls = certificate_ ? certificate_->Current(loop_.now()) : nullptr;
  if (&lane->loop() == &loop_) return lane->Adopt(std::move(socket), std::move(tls));
  lane->loop().Post([lane, socket = std::move(socket), tls = std::move(tls)]() mutable {
    lane->Adopt(std::move(socket), std::move(tls));
  });
} catch (...) {
  service_.TellFailure("new connection");
}

}  // namespace http
