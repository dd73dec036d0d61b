#include "http/connection.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace http {
namespace {

constexpr size_t kInput = 64 << 10;
constexpr size_t kRecord = 16 << 10;
constexpr size_t kTurn = 128 << 10;  // of output before the socket is asked
constexpr int kTurns = 4;            // before others go first
constexpr size_t kMostLingering = 32 << 20;
constexpr std::chrono::seconds kLinger(2);

}  // namespace

Lane::Lane(Service& service, EventLoop& loop) : service_(service), loop_(loop), input_(kInput), plain_(kRecord) {
  record_.reserve(kRecord);
}

Lane::~Lane() = default;

Place::Place(Service& service, std::string address) : service_(&service), address_(std::move(address)) {
  if (!service.connections.Take(address_, 1)) service_ = nullptr;
}

Place::~Place() {
  if (service_ != nullptr) service_->connections.Give(address_, 1);
  if (lane_ != nullptr) lane_->load().fetch_sub(1, std::memory_order_release);
}

void Place::In(Lane& lane) {
  lane_ = &lane;
  lane.load().fetch_add(1, std::memory_order_relaxed);
}

AcceptedSocket::~AcceptedSocket() {
  if (fd >= 0) close(fd);
}

void Lane::Adopt(AcceptedSocket socket, std::shared_ptr<const TlsContext> tls) noexcept {
  try {
    auto connection = std::make_unique<Connection>(*this, std::move(socket), std::move(tls));
    Connection* opened = connection.get();
    connections_[opened] = std::move(connection);
    if (draining_) return opened->Close();
    opened->Open();
    if (sweep_ == nullptr) Sweep();
  } catch (...) {
    service_.TellFailure("new connection");
  }
}

void Lane::Release(Connection& connection) {
  auto found = connections_.find(&connection);
  loop_.DestroyLater(std::move(found->second));
  connections_.erase(found);
}

void Lane::Sweep() {
  std::vector<Connection*> all;
  all.reserve(connections_.size());
  for (auto& [connection, owned] : connections_) all.push_back(connection);
  for (Connection* connection : all) connection->CloseIfExpired(loop_.now());
  sweep_ = connections_.empty() ? nullptr : loop_.PostAfter(service_.limits.timeout_check, [this] { Sweep(); });
}

void Lane::Drain() {
  draining_ = true;
  std::vector<Connection*> all;
  for (auto& [connection, owned] : connections_) all.push_back(connection);
  for (Connection* connection : all) connection->Drain();
}

void Lane::DrainSome(int most) {
  std::vector<Connection*> some;
  for (auto& [connection, owned] : connections_) {
    if (most == 0) break;
    if (connection->draining()) continue;
    some.push_back(connection);
    --most;
  }
  for (Connection* connection : some) connection->Drain();
}

void Lane::Abort() {
  draining_ = true;
  while (!connections_.empty()) connections_.begin()->first->Close();
  sweep_.reset();
}

// Makes records as large as they can be of whatever pieces the session gives.
class Connection::RecordSink final : public Sink {
 public:
  explicit RecordSink(Connection& connection) : lane_(connection.lane_), tls_(connection.tls_.get()) {
    if (tls_ != nullptr) tls_->SetOutput(&lane_.output_);
  }
  size_t room() const override { return room_; }
  void Write(std::string_view bytes) override {
    room_ -= std::min(room_, bytes.size());
    if (tls_ == nullptr) {
      lane_.output_ += bytes;
      return;
    }
    std::string& record = lane_.record_;
    while (!bytes.empty()) {
      if (record.empty() && bytes.size() >= kRecord) {
        ok_ &= tls_->Encrypt(bytes.substr(0, kRecord));
        bytes.remove_prefix(kRecord);
        continue;
      }
      size_t part = std::min(bytes.size(), kRecord - record.size());
      record += bytes.substr(0, part);
      bytes.remove_prefix(part);
      if (record.size() == kRecord) Seal();
    }
  }
  // The end of a turn. False when TLS is broken.
  bool Seal() {
    if (!lane_.record_.empty()) {
      ok_ &= tls_->Encrypt(lane_.record_);
      lane_.record_.clear();
    }
    return ok_;
  }

 private:
  Lane& lane_;
  TlsStream* tls_;
  size_t room_ = kTurn;
  bool ok_ = true;
};

Connection::Connection(Lane& lane, AcceptedSocket socket, std::shared_ptr<const TlsContext> tls)
    : socket_(std::move(socket)),
      lane_(lane),
      fd_(socket_.fd),
      peer_(std::make_shared<exchange::Peer>()),
      since_(lane.loop_.now()) {
  peer_->remote_address = std::move(socket_.remote_address);
  peer_->tls = tls != nullptr;
  if (tls != nullptr) tls_ = std::make_unique<TlsStream>(std::move(tls));
}

Connection::~Connection() { session_.reset(); }

void Connection::Open() noexcept {
  Guarded([this] {
    if (tls_ == nullptr) MakeSession(/*http2=*/false);
    if (!lane_.loop_.Add(fd_, *this)) Close();
  });
}

void Connection::MakeSession(bool http2) {
  if (tls_ != nullptr) peer_->certificates = tls_->PeerCertificates();
  session_ = http2 ? MakeHttp2Session(lane_.service_, *this) : MakeHttp1Session(lane_.service_, *this);
  if (lane_.draining_) session_->Drain();
}

template <class Work>
void Connection::Guarded(Work work) noexcept {
  try {
    work();
  } catch (...) {
    lane_.service_.TellFailure("connection");
    // What the lane's shared buffers hold was this connection's.
    lane_.record_.clear();
    lane_.output_.clear();
    Close();
  }
}

void Connection::OnReady(uint32_t epoll_events) {
  Guarded([&] { Ready(epoll_events); });
}

void Connection::RunDeferred() {
  Guarded([this] { Flush(); });
}

void Connection::CloseIfExpired(EventLoop::TimePoint now) {
  Guarded([&] { Expire(now); });
}

void Connection::Ready(uint32_t epoll_events) {
  if (closed_) return;
  if ((epoll_events & (EPOLLERR | EPOLLHUP)) != 0) return Close();
  if ((epoll_events & EPOLLRDHUP) != 0) half_closed_ = true;
  if ((epoll_events & (EPOLLIN | EPOLLRDHUP)) != 0) {
    readable_ = true;
    Read();
  }
  if (!closed_ && (epoll_events & EPOLLOUT) != 0 && !pending_.empty()) WantFlush();
}

bool Connection::TakesInput() const {
  return session_ == nullptr || (session_->WantsInput() && !session_->finished() && pending_.size() <= kTurn);
}

void Connection::Read() {
  for (int turn = 0; readable_ && !closed_ && (lingering_ || TakesInput()); ++turn) {
    if (turn == kTurns) return WantFlush();  // which comes back here
    ssize_t size = recv(fd_, lane_.input_.data(), lane_.input_.size(), 0);
    if (size < 0) {
      if (errno == EINTR) continue;
      readable_ = false;
      if (errno != EAGAIN) Close();
      return;
    }
    // Edge-triggered: less than asked for means that the socket is empty and the next bytes will be told. So would be
    // the end, unless it was told already.
    readable_ = half_closed_ || static_cast<size_t>(size) == lane_.input_.size();
    if (size == 0) {
      readable_ = false;
      return OnEnd();
    }
    Take({lane_.input_.data(), static_cast<size_t>(size)});
  }
}

void Connection::Take(std::string_view received) {
  if (lingering_) {
    thrown_away_ += received.size();
    if (thrown_away_ > kMostLingering) Close();
    return;
  }
  std::string joined;
  if (!unread_.empty()) {
    joined = std::move(unread_);
    unread_.clear();
    joined += received;
    received = joined;
  }
  if (tls_ != nullptr) {
    TakeRecords(received);
  } else if (session_->WantsInput()) {
    session_->Receive(received);
  } else {
    unread_ = received;
  }
}

void Connection::TakeRecords(std::string_view received) {
  if (session_ == nullptr && LooksLikePlainHttp(received)) return RefusePlainHttp();
  tls_->SetInput(received);
  tls_->SetOutput(&lane_.output_);
  TlsStream::Read result = TlsStream::Read::kData;
  while (result == TlsStream::Read::kData && TakesInput()) {
    size_t size = 0;
    result = tls_->Decrypt(lane_.plain_, size);
    if (session_ == nullptr && tls_->established()) MakeSession(tls_->http2());
    if (result == TlsStream::Read::kData) session_->Receive({lane_.plain_.data(), size});
  }
  unread_ = tls_->input();
  Send();
  if (closed_) return;
  if (result == TlsStream::Read::kClosed) OnEnd();
  if (result == TlsStream::Read::kFailed) Close();
}

void Connection::RefusePlainHttp() {
  lane_.output_ = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
  tls_.reset();
  Send();
  if (!closed_) EndOutput(/*linger=*/true);
}

void Connection::OnEnd() {
  if (session_ == nullptr || lingering_) return Close();
  session_->InputEnded();
  WantFlush();
}

void Connection::Flush() {
  if (closed_) return;
  if (!lingering_) Write();
  if (closed_ || lingering_) return lingering_ && !closed_ ? Read() : void();
  if (!unread_.empty() && TakesInput()) Take({});
  if (!closed_) Read();
}

void Connection::Write() {
  if (!SendPending() || session_ == nullptr) return;
  for (int turn = 0; turn < kTurns; ++turn) {
    RecordSink sink(*this);
    session_->Produce(sink);
    if (!sink.Seal()) return Close();
    Send();
    if (closed_ || !pending_.empty()) return;
    if (session_->finished()) return EndOutput(session_->linger());
    if (sink.room() > 0) return;
  }
  WantFlush();
}

// Sends lane_.output_; what the socket does not take is kept.
void Connection::Send() {
  std::string& output = lane_.output_;
  if (output.empty()) return;
  if (!pending_.empty()) {
    pending_ += output;
  } else {
    ssize_t sent = send(fd_, output.data(), output.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      output.clear();
      return Close();
    }
    size_t taken = sent < 0 ? 0 : static_cast<size_t>(sent);
    if (taken < output.size()) {
      pending_.assign(output, taken);
      since_ = lane_.loop_.now();
      sent_ = 0;
    }
  }
  output.clear();
}

// True when nothing is pending any more.
bool Connection::SendPending() {
  while (!pending_.empty()) {
    ssize_t sent = send(fd_, pending_.data(), pending_.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) Close();
      return false;
    }
    Sent(static_cast<size_t>(sent));
    pending_.erase(0, static_cast<size_t>(sent));
  }
  pending_ = {};
  return true;
}

// A few bytes now and then are no progress.
void Connection::Sent(size_t bytes) {
  sent_ += bytes;
  if (sent_ < lane_.service_.limits.least_progress) return;
  sent_ = 0;
  since_ = lane_.loop_.now();
}

void Connection::EndOutput(bool linger) {
  if (tls_ != nullptr) {
    tls_->SetOutput(&lane_.output_);
    tls_->CloseOutput();
    Send();
  }
  if (closed_) return;
  if (!linger) return Close();
  // Closing a socket with unread input resets the connection, and the answer on its way could be lost with it.
  shutdown(fd_, SHUT_WR);
  session_.reset();
  lingering_ = true;
  since_ = lane_.loop_.now();
  unread_ = {};
  WantFlush();
}

void Connection::Drain() {
  draining_ = true;
  if (session_ == nullptr) return lingering_ ? void() : Close();
  session_->Drain();
  WantFlush();
}

void Connection::Close() {
  if (closed_) return;
  closed_ = true;
  lane_.loop_.Remove(fd_);
  lane_.loop_.Forget(*this);
  session_.reset();
  lane_.Release(*this);
}

void Connection::Expire(EventLoop::TimePoint now) {
  const Limits& limits = lane_.service_.limits;
  if (lingering_) {
    if (now > since_ + kLinger) Close();
    return;
  }
  if (session_ == nullptr) {
    if (now > since_ + limits.handshake_timeout) Close();
    return;
  }
  session_->Expire(now);
  if (!pending_.empty()) {
    if (now > since_ + limits.write_timeout || now > session_->cutoff()) Close();
  } else if (now > session_->deadline()) {
    session_->Drain();
    Write();
    if (!closed_ && !lingering_) Close();
  }
}

}  // namespace http
