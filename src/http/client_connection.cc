#include "http/client_connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace http {
namespace {

using base::Cat;

constexpr int kTurns = 8;  // reads before others go first
constexpr size_t kPlain = 16 << 10;
constexpr std::chrono::seconds kLeastAttempt(2);

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress ToSocketAddress(const std::string& address, uint16_t port) {
  SocketAddress made;
  auto* four = reinterpret_cast<sockaddr_in*>(&made.storage);
  auto* six = reinterpret_cast<sockaddr_in6*>(&made.storage);
  if (inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    made.size = sizeof *four;
  } else if (inet_pton(AF_INET6, address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    made.size = sizeof *six;
  }
  return made;
}

std::string WithPort(std::string_view address, int port) {
  return address.find(':') == address.npos ? Cat(address, ":", port) : Cat("[", address, "]:", port);
}

std::string TextOf(SocketAddress& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.get()->sa_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(&address.storage);
    inet_ntop(AF_INET, &four->sin_addr, text, sizeof text);
    return WithPort(text, ntohs(four->sin_port));
  }
  const auto* six = reinterpret_cast<const sockaddr_in6*>(&address.storage);
  inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text);
  return WithPort(text, ntohs(six->sin6_port));
}

// In Go's words, which begin with a small letter.
std::string SystemText(int error) {
  std::string text = strerror(error);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

std::string HeadOf(const exchange::OutboundRequest& request) {
  std::string head = Cat(request.method, " ", request.target, " HTTP/1.1\r\n");
  for (const auto& [name, value] : request.headers.fields()) base::Append(head, name, ": ", value, "\r\n");
  base::Append(head, "content-length: ", request.body.size(), "\r\n\r\n");
  return head;
}

}  // namespace

ClientConnection::ClientConnection(Host& host, std::shared_ptr<const ClientTlsContext> context)
    : host_(host), context_(std::move(context)) {}

ClientConnection::~ClientConnection() {
  if (fd_ >= 0) close(fd_);
}

void ClientConnection::Open(ClientCall& call, std::vector<std::string> addresses) {
  call_ = &call;
  addresses_ = std::move(addresses);
  ConnectNext();
}

void ClientConnection::ConnectNext() {
  while (next_address_ < addresses_.size()) {
    const std::string& address = addresses_[next_address_++];
    SocketAddress to = ToSocketAddress(address, call_->request.port);
    fd_ = socket(to.get()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd_ < 0) {
      connect_error_ = Cat("dial tcp ", WithPort(address, call_->request.port), ": socket: ", SystemText(errno));
      continue;
    }
    const int one = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    state_ = State::kConnecting;
    if (connect(fd_, to.get(), to.size) != 0 && errno != EINPROGRESS) {
      EndAttempt(errno);
      continue;
    }
    if (!host_.loop().Add(fd_, *this)) {
      EndAttempt(errno);
      continue;
    }
    // Each address has its share of the time that is left; the last one has all of it.
    if (const size_t left = addresses_.size() - next_address_; left > 0) {
      using std::chrono::milliseconds;
      const auto time = std::chrono::duration_cast<milliseconds>(call_->request.deadline - host_.loop().now());
      const auto share = std::max<milliseconds>(time / (left + 1), kLeastAttempt);
      attempt_ = host_.loop().PostAfter(share, [this] {
        EndAttempt(ETIMEDOUT);
        ConnectNext();
      });
    }
    return;
  }
  if (connect_error_.empty()) connect_error_ = Cat("dial tcp: lookup ", call_->request.host, ": no such host");
  Fail(connect_error_);
}

void ClientConnection::EndAttempt(int error) {
  connect_error_ = Cat("dial tcp ", WithPort(addresses_[next_address_ - 1], call_->request.port), ": ",
                       error == ETIMEDOUT ? "i/o timeout" : Cat("connect: ", SystemText(error)));
  host_.loop().Remove(fd_);
  close(fd_);
  fd_ = -1;
  attempt_.reset();
}

void ClientConnection::OnReady(uint32_t epoll_events) {
  if (state_ == State::kClosed) return;
  if (state_ == State::kConnecting) {
    if ((epoll_events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) return;
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      EndAttempt(error);
      return ConnectNext();
    }
    Connected();
    if (state_ == State::kClosed) return;
  }
  Flush();
  if (state_ == State::kOpen) Read();
}

void ClientConnection::RunDeferred() {
  if (state_ == State::kOpen) Read();
}

void ClientConnection::Connected() {
  attempt_.reset();
  state_ = State::kOpen;
  remote_ = WithPort(addresses_[next_address_ - 1], call_->request.port);
  tls_ = std::make_unique<TlsStream>(context_, call_->request.tls->server_name);
  tls_->SetOutput(&pending_);
  reader_.Begin(call_->request.most_answer_bytes);
  Take({});  // the handshake begins
}

void ClientConnection::Send(ClientCall& call) {
  call_ = &call;
  first_call_ = false;
  reader_.Begin(call.request.most_answer_bytes);
  SendCall();
}

void ClientConnection::SendCall() {
  tls_->SetOutput(&pending_);
  const std::string head = HeadOf(call_->request);
  if (!tls_->Encrypt(head) || !tls_->Encrypt(call_->request.body)) return Fail("tls: cannot send");
  Flush();
}

void ClientConnection::Flush() {
  while (state_ == State::kOpen && !pending_.empty()) {
    const ssize_t sent = send(fd_, pending_.data(), pending_.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      pending_.erase(0, static_cast<size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return;
    const int error = errno;
    if (call_ == nullptr) return host_.Ended(*this);
    if (!first_call_ && reader_.untouched()) return host_.ClosedBefore(*this);
    return Fail(Cat("write tcp ", Ends(), ": write: ", SystemText(error)));
  }
}

void ClientConnection::Read() {
  std::vector<char>& input = host_.input();
  for (int turn = 0; state_ == State::kOpen; ++turn) {
    if (turn == kTurns) return host_.loop().Defer(*this);
    const ssize_t size = recv(fd_, input.data(), input.size(), 0);
    if (size > 0) {
      Take({input.data(), static_cast<size_t>(size)});
      continue;
    }
    if (size == 0) return OnEnd(/*clean=*/false);
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return;
    const int error = errno;
    if (call_ == nullptr) return host_.Ended(*this);
    if (!first_call_ && reader_.untouched()) return host_.ClosedBefore(*this);
    const bool in_body = reader_.in_body();
    return Fail(Cat("read tcp ", Ends(), ": read: ", SystemText(error)), in_body);
  }
}

void ClientConnection::Take(std::string_view received) {
  constexpr std::string_view kHttp = "HTTP/";
  if (sniffed_.size() < kHttp.size()) sniffed_ += received.substr(0, kHttp.size() - sniffed_.size());
  tls_->SetInput(received);
  tls_->SetOutput(&pending_);
  std::array<char, kPlain> plain;
  while (state_ == State::kOpen) {
    size_t size = 0;
    const TlsStream::Read result = tls_->Decrypt(plain, size);
    if (!shaken_ && tls_->established()) {
      shaken_ = true;
      SendCall();
      if (state_ != State::kOpen) return;
    }
    if (result == TlsStream::Read::kData) {
      TakePlain({plain.data(), size});
      continue;
    }
    if (result == TlsStream::Read::kClosed) return OnEnd(/*clean=*/true);
    if (result == TlsStream::Read::kWantInput) return Flush();
    Flush();  // an alert
    if (state_ != State::kOpen) return;
    if (call_ == nullptr) return host_.Ended(*this);
    if (!shaken_ && sniffed_ == kHttp) return Fail("http: server gave HTTP response to HTTPS client");
    const bool in_body = reader_.in_body();
    return Fail(tls_->failure(), in_body);
  }
}

void ClientConnection::TakePlain(std::string_view plain) {
  if (call_ == nullptr) return host_.Ended(*this);  // an answer that nobody asked for
  switch (reader_.Take(plain)) {
    case ResponseReader::State::kHead:
    case ResponseReader::State::kBody:
      return;
    case ResponseReader::State::kDone:
      return Answer();
    case ResponseReader::State::kBroken:
      return Fail(reader_.error(), reader_.in_body());
  }
}

void ClientConnection::OnEnd(bool clean) {
  if (call_ == nullptr) return host_.Ended(*this);
  if (!shaken_) return Fail("EOF");
  if (!first_call_ && reader_.untouched()) return host_.ClosedBefore(*this);
  if (reader_.End(clean) == ResponseReader::State::kDone) return Answer();
  Fail(reader_.error(), reader_.in_body());
}

void ClientConnection::Answer() {
  const bool reusable = reader_.keeps_connection() && pending_.empty() && tls_->input().empty();
  call_ = nullptr;
  host_.Answered(*this, reader_.TakeAnswer(), reusable);
}

void ClientConnection::Fail(std::string message, bool in_body) {
  call_ = nullptr;
  host_.Answered(*this, std::unexpected(exchange::OutboundFailure{.message = std::move(message), .in_body = in_body}),
                 /*reusable=*/false);
}

void ClientConnection::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  attempt_.reset();
  rest.reset();
  host_.loop().Forget(*this);
  if (fd_ < 0) return;
  host_.loop().Remove(fd_);
  if (shaken_) {
    tls_->SetOutput(&pending_);
    if (pending_.empty()) tls_->CloseOutput();
    [[maybe_unused]] const ssize_t sent = send(fd_, pending_.data(), pending_.size(), MSG_NOSIGNAL);
  }
  close(fd_);
  fd_ = -1;
}

std::string ClientConnection::Ends() const {
  SocketAddress own;
  own.size = sizeof own.storage;
  getsockname(fd_, own.get(), &own.size);
  return Cat(TextOf(own), "->", remote_);
}

}  // namespace http
