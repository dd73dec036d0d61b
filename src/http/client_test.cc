#include "http/client.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "http/io_threads.h"

namespace http {
namespace {

using base::Cat;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

struct Identity {
  std::string certificate_pem, key_pem;
};

struct CertificateOptions {
  std::string names = "IP:127.0.0.1,DNS:localhost";  // "" no such extension
  long begins = -3600, ends = 3600;                  // seconds from now
};

std::string Pem(const std::function<void(BIO*)>& write) {
  BIO* bio = BIO_new(BIO_s_mem());
  write(bio);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<size_t>(size));
  BIO_free(bio);
  return text;
}

Identity MakeIdentity(const CertificateOptions& options = {}) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), options.begins);
  X509_gmtime_adj(X509_getm_notAfter(certificate), options.ends);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("127.0.0.1"), -1, -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  X509_set_pubkey(certificate, key);
  if (!options.names.empty()) {
    X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, options.names.c_str());
    X509_add_ext(certificate, names, -1);
    X509_EXTENSION_free(names);
  }
  X509_sign(certificate, key, EVP_sha256());
  Identity made{Pem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate); }),
                Pem([&](BIO* bio) { PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); })};
  X509_free(certificate);
  EVP_PKEY_free(key);
  return made;
}

// One connection to a server that does as the test says.
class Peer {
 public:
  Peer(int fd, SSL_CTX* context, const std::atomic<bool>& stopping) : fd_(fd), stopping_(stopping) {
    const timeval patience{.tv_sec = 0, .tv_usec = 50'000};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (context != nullptr) {
      ssl_ = SSL_new(context);
      SSL_set_fd(ssl_, fd_);
      SSL_set_accept_state(ssl_);
    }
  }
  ~Peer() {
    SSL_free(ssl_);
    close(fd_);
    ERR_clear_error();
  }
  // The next request with its body; "" where none comes.
  std::string Request() {
    std::string all;
    while (!stopping_) {
      if (const size_t end = all.find("\r\n\r\n"); end != all.npos) {
        const size_t at = all.find("content-length: ");
        if (all.size() >= end + 4 + std::stoul(all.substr(at + 16))) return all;
      }
      char room[65536];
      const int size =
          ssl_ != nullptr ? SSL_read(ssl_, room, sizeof room) : static_cast<int>(read(fd_, room, sizeof room));
      if (size > 0) all.append(room, static_cast<size_t>(size));
      if (size <= 0 && !(ssl_ != nullptr ? SSL_get_error(ssl_, size) == SSL_ERROR_WANT_READ : errno == EAGAIN))
        return "";
    }
    return "";
  }
  void Send(std::string_view bytes) {
    if (ssl_ != nullptr) {
      SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
    } else {
      [[maybe_unused]] const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
  }
  void Finish() { SSL_shutdown(ssl_); }
  void Reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  void Hang() {
    while (!stopping_) std::this_thread::sleep_for(milliseconds(5));
  }

 private:
  const int fd_;
  const std::atomic<bool>& stopping_;
  SSL* ssl_ = nullptr;
};

class PeerServer {
 public:
  using Serve = std::function<void(Peer& peer, int connection)>;
  // No identity: plain TCP.
  PeerServer(const Identity* identity, Serve serve) : serve_(std::move(serve)) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    listen(fd_, 128);
    socklen_t size = sizeof address;
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    if (identity != nullptr) {
      context_ = SSL_CTX_new(TLS_server_method());
      BIO* certificate = BIO_new_mem_buf(identity->certificate_pem.data(), -1);
      BIO* key = BIO_new_mem_buf(identity->key_pem.data(), -1);
      X509* leaf = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
      EVP_PKEY* secret = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
      SSL_CTX_use_certificate(context_, leaf);
      SSL_CTX_use_PrivateKey(context_, secret);
      X509_free(leaf);
      EVP_PKEY_free(secret);
      BIO_free(certificate);
      BIO_free(key);
    }
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~PeerServer() {
    stopping_ = true;
    shutdown(fd_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : peers_) thread.join();
    close(fd_);
    SSL_CTX_free(context_);
  }
  uint16_t port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void Accept() {
    while (!stopping_) {
      const int fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      peers_.emplace_back([this, fd, number = connections_++] {
        Peer peer(fd, context_, stopping_);
        serve_(peer, number);
      });
    }
  }

  const Serve serve_;
  int fd_ = -1;
  uint16_t port_ = 0;
  SSL_CTX* context_ = nullptr;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
  std::vector<std::thread> peers_;
  std::thread acceptor_;
};

std::string Answer(std::string_view body, std::string_view more = "") {
  return Cat("HTTP/1.1 200 OK\r\n", more, "Content-Length: ", body.size(), "\r\n\r\n", body);
}

class ClientTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    signal(SIGPIPE, SIG_IGN);
    identity_ = new Identity(MakeIdentity());
  }

  exchange::OutboundRequest Request(uint16_t port, std::string body = "{}") {
    auto tls = std::make_shared<exchange::TlsSettings>();
    tls->authorities_pem = identity_->certificate_pem;
    tls->server_name = "127.0.0.1";
    exchange::OutboundRequest request{.host = "127.0.0.1",
                                      .port = port,
                                      .target = "/call",
                                      .tls = std::move(tls),
                                      .body = std::move(body),
                                      .deadline = std::chrono::steady_clock::now() + seconds(20),
                                      .most_answer_bytes = 1 << 20};
    request.headers.Add("host", "h");
    return request;
  }
  std::future<exchange::OutboundResult> Begin(exchange::OutboundRequest request) {
    auto promise = std::make_shared<std::promise<exchange::OutboundResult>>();
    io_->executor(0).Post([this, promise, request = std::move(request)]() mutable {
      base::Spawn(client_->Call(io_->executor(0), std::move(request)),
                  [promise](std::optional<exchange::OutboundResult> result, std::exception_ptr) {
                    promise->set_value(*std::move(result));
                  });
    });
    return promise->get_future();
  }
  exchange::OutboundResult Call(exchange::OutboundRequest request) { return Begin(std::move(request)).get(); }
  // Why the call fails that such a server gets.
  exchange::OutboundFailure Failure(const PeerServer& server, milliseconds time = seconds(20)) {
    exchange::OutboundRequest request = Request(server.port());
    request.deadline = std::chrono::steady_clock::now() + time;
    auto result = Call(std::move(request));
    EXPECT_FALSE(result);
    return result ? exchange::OutboundFailure() : result.error();
  }

  static Identity* identity_;
  std::unique_ptr<IoThreads> io_ = std::move(*IoThreads::Start(1));
  std::unique_ptr<Client> client_ = std::make_unique<Client>(std::vector<EventLoop*>{&io_->loop(0)});
};
Identity* ClientTest::identity_ = nullptr;

TEST_F(ClientTest, KeepsItsConnection) {
  PeerServer server(identity_, [](Peer& peer, int) {
    for (std::string request; !(request = peer.Request()).empty();) {
      peer.Send(Answer(request.substr(request.find("\r\n\r\n") + 4)));
    }
  });
  for (const std::string& body : {std::string("{}"), std::string(300'000, 'x'), std::string("last")}) {
    const auto answer = Call(Request(server.port(), body));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
    EXPECT_TRUE(answer->body == body);
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(ClientTest, SendsWhatItIsGiven) {
  std::promise<std::string> seen;
  PeerServer server(identity_, [&](Peer& peer, int) {
    seen.set_value(peer.Request());
    peer.Send(Answer("ok"));
  });
  ASSERT_TRUE(Call(Request(server.port(), "body")));
  EXPECT_EQ(seen.get_future().get(), "POST /call HTTP/1.1\r\nhost: h\r\ncontent-length: 4\r\n\r\nbody");
}

TEST_F(ClientTest, ReadsEveryFraming) {
  const std::string chunks =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: v\r\n\r\n";
  const std::string informed = Cat("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", Answer("abcde"));
  for (const std::string& sent : {chunks, informed, std::string("HTTP/1.0 200 OK\r\n\r\nabcde"),
                                  std::string("HTTP/1.1 200 OK\nContent-Length: 5\n\nabcde")}) {
    PeerServer server(identity_, [&](Peer& peer, int) {
      peer.Request();
      for (const char c : sent) peer.Send({&c, 1});
      peer.Finish();
    });
    const auto answer = Call(Request(server.port()));
    ASSERT_TRUE(answer) << sent << answer.error().message;
    EXPECT_EQ(answer->body, "abcde") << sent;
  }
}

TEST_F(ClientTest, TellsHowServersFail) {
  struct Case {
    std::string sent, message;
    bool in_body = false;
  };
  const std::string broken = "net/http: HTTP/1.x transport connection broken: ";
  for (const Case& c :
       {Case{"", "EOF"}, Case{"HTTP/1.1 200 OK\r\nCont", "unexpected EOF"},
        Case{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "unexpected EOF", true},
        Case{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", "unexpected EOF", true},
        Case{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", "invalid byte in chunk length", true},
        Case{"HTTP/1.1 200 OK\r\n\r\nhalf", "unexpected EOF", true},
        Case{"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "http: response body is too large", true},
        Case{"hello\r\n\r\n", broken + "malformed HTTP response \"hello\""},
        Case{"HTTP/1.1 2x0 OK\r\n\r\n", broken + "malformed HTTP status code \"2x0\""},
        Case{"HTTP/9.9 200 OK\r\n\r\n", broken + "malformed HTTP version \"HTTP/9.9\""},
        Case{"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", broken + "malformed MIME header line: no colon"},
        Case{"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", broken + "bad Content-Length \"1\""},
        Case{"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", broken + "bad Content-Length \"-1\""},
        Case{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
             broken + "http: both a length and chunks are sent"},
        Case{"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", broken + "unsupported transfer encoding: \"gzip\""},
        Case{Cat("HTTP/1.1 200 OK\r\nX: ", std::string(300'000, 'x')),
             broken + "net/http: server response headers are too large"}}) {
    PeerServer server(identity_, [&](Peer& peer, int) {
      peer.Request();
      if (!c.sent.empty()) peer.Send(c.sent);
      if (c.sent.size() > 100'000) peer.Hang();
    });
    const auto failure = Failure(server);
    EXPECT_EQ(failure.message, c.message) << c.sent.substr(0, 100);
    EXPECT_EQ(failure.in_body, c.in_body) << c.sent.substr(0, 100);
  }
}

TEST_F(ClientTest, StopsReadingAHugeAnswer) {
  PeerServer server(identity_, [](Peer& peer, int) {
    peer.Request();
    peer.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = Cat("10000\r\n", std::string(0x10000, 'x'), "\r\n");
    for (int i = 0; i < 32; ++i) peer.Send(chunk);
    peer.Hang();
  });
  EXPECT_EQ(Failure(server).message, "http: response body is too large");
}

TEST_F(ClientTest, EndsAtTheDeadline) {
  PeerServer silent(nullptr, [](Peer& peer, int) { peer.Hang(); });
  PeerServer hanging(identity_, [](Peer& peer, int) {
    peer.Request();
    peer.Hang();
  });
  PeerServer dripping(identity_, [](Peer& peer, int) {
    peer.Request();
    peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    for (int i = 0; i < 100; ++i) {
      peer.Send("x");
      std::this_thread::sleep_for(milliseconds(5));
    }
    peer.Hang();
  });
  for (const PeerServer* server : {&silent, &hanging, &dripping}) {
    const auto failure = Failure(*server, milliseconds(150));
    EXPECT_EQ(failure.message, "context deadline exceeded");
    EXPECT_TRUE(failure.timed_out);
    EXPECT_EQ(failure.in_body, server == &dripping);
  }
}

TEST_F(ClientTest, TellsOfConnectionsThatDoNotStand) {
  uint16_t closed = 0;
  {
    closed = PeerServer(nullptr, [](Peer&, int) {}).port();
  }
  const auto refused = Call(Request(closed));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, Cat("dial tcp 127.0.0.1:", closed, ": connect: connection refused"));

  PeerServer resetting(identity_, [](Peer& peer, int) {
    peer.Request();
    peer.Reset();
  });
  EXPECT_THAT(Failure(resetting).message,
              MatchesRegex("read tcp 127.0.0.1:[0-9]+->127.0.0.1:[0-9]+: read: connection reset by peer"));

  PeerServer closing(nullptr, [](Peer&, int) {});
  EXPECT_THAT(Failure(closing).message, ::testing::AnyOf("EOF", HasSubstr("connection reset by peer")));
}

TEST_F(ClientTest, JudgesCertificates) {
  const Identity expired = MakeIdentity({.ends = -60}), unborn = MakeIdentity({.begins = 60}),
                 wrong = MakeIdentity({.names = "IP:10.0.0.1,DNS:other.example"}),
                 nameless = MakeIdentity({.names = ""}), unknown = MakeIdentity();
  struct Case {
    const Identity& identity;
    std::string host_name, message;
  };
  const std::string unverified = "tls: failed to verify certificate: x509: ";
  for (const Case& c :
       {Case{expired, "127.0.0.1", "certificate has expired or is not yet valid: current time [^ ]* is after [^ ]*"},
        Case{unborn, "127.0.0.1", "certificate has expired or is not yet valid: current time [^ ]* is before [^ ]*"},
        Case{wrong, "127.0.0.1", "certificate is valid for 10.0.0.1, not 127.0.0.1"},
        Case{wrong, "a.b.svc", "certificate is valid for other.example, not a.b.svc"},
        Case{nameless, "127.0.0.1", "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"},
        Case{nameless, "a.b.svc", "certificate relies on legacy Common Name field, use SANs instead"},
        Case{unknown, "localhost", "certificate signed by unknown authority"}}) {
    PeerServer server(&c.identity, [](Peer& peer, int) {
      peer.Request();
      peer.Send(Answer("must not be read"));
    });
    exchange::OutboundRequest request = Request(server.port());
    auto tls = std::make_shared<exchange::TlsSettings>(*request.tls);
    if (&c.identity != &unknown) tls->authorities_pem = c.identity.certificate_pem;
    tls->server_name = c.host_name;
    request.tls = tls;
    const auto answer = Call(std::move(request));
    ASSERT_FALSE(answer) << c.message;
    EXPECT_THAT(answer.error().message, MatchesRegex(unverified + c.message));
  }
}

TEST_F(ClientTest, TellsPlainHttpFromTls) {
  PeerServer plain(nullptr, [](Peer& peer, int) {
    peer.Send("HTTP/1.1 400 Bad Request\r\n\r\n");
    peer.Hang();
  });
  EXPECT_EQ(Failure(plain).message, "http: server gave HTTP response to HTTPS client");
  PeerServer other(nullptr, [](Peer& peer, int) {
    peer.Send("SSH-2.0-OpenSSH_9.2\r\n");
    peer.Hang();
  });
  EXPECT_EQ(Failure(other).message, "tls: first record does not look like a TLS handshake");
}

TEST_F(ClientTest, DoesNotFollowRedirects) {
  PeerServer elsewhere(identity_, [](Peer& peer, int) {
    peer.Request();
    peer.Send(Answer("followed"));
  });
  PeerServer server(identity_, [&](Peer& peer, int) {
    peer.Request();
    peer.Send(
        Cat("HTTP/1.1 307 T\r\nLocation: https://127.0.0.1:", elsewhere.port(), "/\r\nContent-Length: 0\r\n\r\n"));
  });
  const auto answer = Call(Request(server.port()));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 307);
  EXPECT_EQ(elsewhere.connections(), 0);
}

TEST_F(ClientTest, AsksAgainWhereAKeptConnectionWasClosed) {
  PeerServer server(identity_, [](Peer& peer, int connection) {
    peer.Request();
    peer.Send(Answer(Cat(connection)));
    if (connection == 0) peer.Request();  // and goes without a word
    if (connection == 0) peer.Reset();
    if (connection != 0) peer.Hang();
  });
  EXPECT_EQ(Call(Request(server.port()))->body, "0");
  const auto second = Call(Request(server.port()));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->body, "1");
}

TEST_F(ClientTest, DoesNotAskAgainOnANewConnection) {
  PeerServer server(identity_, [](Peer& peer, int) { peer.Request(); });
  EXPECT_EQ(Failure(server).message, "EOF");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(ClientTest, BoundsItsConnections) {
  client_ = std::make_unique<Client>(std::vector<EventLoop*>{&io_->loop(0)}, ClientLimits{.connections = 2});
  std::atomic<int> at_once = 0, most = 0;
  PeerServer server(identity_, [&](Peer& peer, int) {
    while (!peer.Request().empty()) {
      const int now = ++at_once;
      most = std::max(most.load(), now);
      std::this_thread::sleep_for(milliseconds(2));
      --at_once;
      peer.Send(Answer("ok"));
    }
  });
  std::vector<std::future<exchange::OutboundResult>> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(Begin(Request(server.port())));
  for (auto& call : calls) {
    const auto answer = call.get();
    ASSERT_TRUE(answer) << answer.error().message;
  }
  EXPECT_LE(most, 2);
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(ClientTest, GivesThePlaceOfAHangingCallToTheNext) {
  client_ = std::make_unique<Client>(std::vector<EventLoop*>{&io_->loop(0)}, ClientLimits{.connections = 1});
  PeerServer server(identity_, [&](Peer& peer, int connection) {
    peer.Request();
    if (connection == 0) peer.Hang();
    peer.Send(Answer("ok"));
  });
  exchange::OutboundRequest first = Request(server.port());
  first.deadline = std::chrono::steady_clock::now() + milliseconds(200);
  auto hanging = Begin(std::move(first)), waiting = Begin(Request(server.port()));
  EXPECT_EQ(hanging.get().error().message, "context deadline exceeded");
  const auto answer = waiting.get();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "ok");
}

TEST_F(ClientTest, FindsLocalhostAndTellsOfUnknownNames) {
  PeerServer server(identity_, [](Peer& peer, int) {
    peer.Request();
    peer.Send(Answer("ok"));
  });
  exchange::OutboundRequest request = Request(server.port());
  request.host = "localhost";
  EXPECT_TRUE(Call(std::move(request)));
  exchange::OutboundRequest unknown = Request(server.port());
  unknown.host = "no-such-host.invalid";
  const auto answer = Call(std::move(unknown));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, StartsWith("dial tcp: lookup no-such-host.invalid: "));
}

TEST_F(ClientTest, RefusesSettingsThatCannotBeUsed) {
  exchange::OutboundRequest request = Request(1);
  auto tls = std::make_shared<exchange::TlsSettings>();
  tls->authorities_pem = "no certificate";
  request.tls = tls;
  const auto answer = Call(std::move(request));
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().bad_settings);
  EXPECT_EQ(answer.error().message, "unable to load root certificates: unable to parse bytes as PEM block");
}

TEST_F(ClientTest, EndsWithCallsUnderWay) {
  PeerServer server(identity_, [](Peer& peer, int) { peer.Hang(); });
  auto call = Begin(Request(server.port()));
  while (server.connections() == 0) std::this_thread::yield();
  client_.reset();
  EXPECT_FALSE(call.get());
}

}  // namespace
}  // namespace http
