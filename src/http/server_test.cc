#include "http/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "http/memory_carrier.h"

namespace http {
namespace {

using std::chrono::milliseconds;
using testing::EchoHandler;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// A blocking client, plain until Tls() is called.
class Socket {
 public:
  // `from`: which address of this machine.
  explicit Socket(uint16_t port, uint32_t from = INADDR_LOOPBACK)
      : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in own{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(from)}};
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
    sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    timeval patience{.tv_sec = 20};  // a server that hangs fails the test, it does not stop it
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Socket() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    close(fd_);
    ERR_clear_error();
  }

  struct TlsOptions {
    std::string alpn;  // in the form of the wire
    int max_version = 0;
    const CertificateFiles* certificate = nullptr;
    SSL_SESSION* resume = nullptr;
    const char* name = nullptr;    // of the server
    const char* suites = nullptr;  // of TLS 1.2 and before
  };
  bool Tls(const TlsOptions& options) {
    context_ = SSL_CTX_new(TLS_client_method());
    if (options.max_version != 0) SSL_CTX_set_max_proto_version(context_, options.max_version);
    if (options.certificate != nullptr) {
      SSL_CTX_use_certificate_chain_file(context_, options.certificate->certificate.c_str());
      SSL_CTX_use_PrivateKey_file(context_, options.certificate->key.c_str(), SSL_FILETYPE_PEM);
    }
    ssl_ = SSL_new(context_);
    if (!options.alpn.empty()) {
      SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(options.alpn.data()), options.alpn.size());
    }
    if (options.name != nullptr) SSL_set_tlsext_host_name(ssl_, options.name);
    if (options.suites != nullptr) SSL_set_cipher_list(ssl_, options.suites);
    if (options.resume != nullptr) SSL_set_session(ssl_, options.resume);
    SSL_set_fd(ssl_, fd_);
    return SSL_connect(ssl_) == 1;
  }
  bool Tls() { return Tls({}); }

  void Send(std::string_view bytes) {
    if (ssl_ != nullptr) {
      SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
    } else {
      [[maybe_unused]] ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
  }
  // Up to 64 KiB; "" at the end.
  std::string Read() {
    char room[65536];
    ssize_t size = ssl_ != nullptr ? SSL_read(ssl_, room, sizeof room) : recv(fd_, room, sizeof room, 0);
    return size <= 0 ? "" : std::string(room, static_cast<size_t>(size));
  }
  std::string ReadUntil(const std::string& mark) {
    std::string all;
    for (std::string part; all.find(mark) == std::string::npos && !(part = Read()).empty();) all += part;
    return all;
  }
  std::string ReadToEnd() {
    std::string all;
    for (std::string part; !(part = Read()).empty();) all += part;
    return all;
  }
  void HalfClose() { shutdown(fd_, SHUT_WR); }
  SSL* ssl() { return ssl_; }

 private:
  int fd_;
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
};

std::string Get(const std::string& path, const std::string& more = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: h\r\n" + more + "\r\n";
}

class ServerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    signal(SIGPIPE, SIG_IGN);  // of the clients here: OpenSSL writes to their sockets itself
    char name[] = "/tmp/fairlead-http-XXXXXX";
    directory_ = new std::string(mkdtemp(name));
    files_ =
        new CertificateFiles(*FindOrMakeCertificate(*directory_ + "/server", ServerNames("127.0.0.1", "10.0.0.1")));
  }
  static void TearDownTestSuite() {
    std::filesystem::remove_all(*directory_);
    delete files_;
    delete directory_;
  }

  static ServerOptions Options() {
    ServerOptions options;
    options.bind_address = "127.0.0.1";
    options.port = 0;
    options.certificate = *files_;
    return options;
  }
  void Start(const ServerOptions& options = Options()) {
    auto started = Server::Start(options, handler_, *io_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  // One request over a new TLS connection.
  std::string Ask(const std::string& path) {
    Socket client(server_->port());
    if (!client.Tls()) return "no TLS";
    client.Send(Get(path, "Connection: close\r\n"));
    return client.ReadToEnd();
  }
  void AwaitParked(const std::string& name) {
    while (!handler_.Parked(name)) std::this_thread::yield();
  }

  static std::string* directory_;
  static CertificateFiles* files_;
  EchoHandler handler_;
  std::unique_ptr<IoThreads> io_ = std::move(*IoThreads::Start(2));
  std::unique_ptr<Server> server_;
};
std::string* ServerTest::directory_ = nullptr;
CertificateFiles* ServerTest::files_ = nullptr;

TEST_F(ServerTest, SpeaksWhatAlpnChooses) {
  Start();
  struct Case {
    std::string alpn, chosen;
  };
  for (const Case& c : {Case{"\x02h2\x08http/1.1", "h2"}, Case{"\x08http/1.1\x02h2", "h2"},
                        Case{"\x08http/1.1", "http/1.1"}, Case{"", ""}}) {
    Socket client(server_->port());
    ASSERT_TRUE(client.Tls({.alpn = c.alpn})) << c.alpn;
    const unsigned char* chosen = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(client.ssl(), &chosen, &size);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(chosen), size), c.chosen);
    if (c.chosen == "h2") {
      EXPECT_EQ(client.Read().substr(3, 1), std::string(1, 4));  // its SETTINGS come without being asked
    } else {
      client.Send(Get("/echo"));
      EXPECT_THAT(client.ReadUntil("cert"), HasSubstr("GET /echo? at h with 0"));
    }
  }
}

TEST_F(ServerTest, RefusesOldTls) {
  Start();
  Socket old(server_->port()), known(server_->port());
  EXPECT_FALSE(old.Tls({.max_version = TLS1_1_VERSION}));
  EXPECT_TRUE(known.Tls({.max_version = TLS1_2_VERSION}));
}

TEST_F(ServerTest, GivesTheClientsChainUnverified) {
  Start();
  auto own = FindOrMakeCertificate(*directory_ + "/client", {"anybody"});
  ASSERT_TRUE(own);
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Socket client(server_->port());
    ASSERT_TRUE(client.Tls({.max_version = version, .certificate = &*own}));
    client.Send(Get("/echo"));
    EXPECT_THAT(client.ReadUntil("certificates 1"), HasSubstr("certificates 1"));
    Socket other(server_->port());
    ASSERT_TRUE(other.Tls({.max_version = version}));
    other.Send(Get("/echo"));
    EXPECT_THAT(other.ReadUntil("certificates 0"), HasSubstr("certificates 0"));
  }
}

TEST_F(ServerTest, ResumesSessionsButNotThoseWithACertificate) {
  Start();
  auto own = FindOrMakeCertificate(*directory_ + "/client", {"anybody"});
  for (const CertificateFiles* certificate : {static_cast<CertificateFiles*>(nullptr), &*own}) {
    Socket first(server_->port());
    ASSERT_TRUE(first.Tls({.certificate = certificate}));
    first.Send(Get("/echo"));
    first.ReadUntil("certificates");
    SSL_SESSION* session = SSL_get1_session(first.ssl());
    Socket second(server_->port());
    ASSERT_TRUE(second.Tls({.certificate = certificate, .resume = session}));
    EXPECT_EQ(SSL_session_reused(second.ssl()), certificate == nullptr ? 1 : 0);
    second.Send(Get("/echo"));
    std::string count = certificate == nullptr ? "certificates 0" : "certificates 1";
    EXPECT_THAT(second.ReadUntil(count), HasSubstr(count));
    SSL_SESSION_free(session);
  }
}

TEST_F(ServerTest, PlainHttpOnATlsPortIsTold) {
  Start();
  Socket client(server_->port());
  client.Send(Get("/"));
  EXPECT_EQ(client.ReadToEnd(), "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
}

TEST_F(ServerTest, SpeaksPlainHttpWhereToldTo) {
  ServerOptions options = Options();
  options.tls = false;
  Start(options);
  Socket client(server_->port());
  client.Send(Get("/echo"));
  EXPECT_THAT(client.ReadUntil("cert"), HasSubstr("GET /echo? at h"));
}

TEST_F(ServerTest, ListensOnBothFamiliesAndReportsATakenPort) {
  ServerOptions options = Options();
  options.bind_address = "0.0.0.0";
  Start(options);
  EXPECT_THAT(Ask("/a"), EndsWith("ok"));
  options.port = server_->port();
  auto second = Server::Start(options, handler_, *io_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("Address already in use"));
  options.bind_address = "nowhere";
  EXPECT_FALSE(Server::Start(options, handler_, *io_));
}

TEST_F(ServerTest, AMissingOrForeignKeyIsAnErrorAtStart) {
  ServerOptions options = Options();
  options.certificate.key = *directory_ + "/absent.key";
  auto missing = Server::Start(options, handler_, *io_);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("absent.key"));
  auto other = FindOrMakeCertificate(*directory_ + "/other", {"other"});
  options.certificate.key = other->key;
  auto foreign = Server::Start(options, handler_, *io_);
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message, HasSubstr(other->key));
}

std::string CommonName(Socket& client) {
  X509* certificate = SSL_get1_peer_certificate(client.ssl());
  char name[100] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  X509_free(certificate);
  return name;
}

TEST_F(ServerTest, ChangedCertificateFilesAreServed) {
  auto served = FindOrMakeCertificate(*directory_ + "/renewed", {"before"});
  ServerOptions options = Options();
  options.certificate = *served;
  Start(options);
  std::filesystem::remove(served->certificate);
  ASSERT_TRUE(FindOrMakeCertificate(*directory_ + "/renewed", {"after"}));
  std::string name = "before";
  for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
       name == "before" && std::chrono::steady_clock::now() < end;) {
    Socket client(server_->port());
    ASSERT_TRUE(client.Tls());
    name = CommonName(client);
  }
  EXPECT_EQ(name, "after");
}

TEST_F(ServerTest, LargeAnswersArriveWholeHoweverSlowlyTheyAreRead) {
  Start();
  Socket client(server_->port());
  ASSERT_TRUE(client.Tls());
  client.Send(Get("/stream/30000000"));
  client.ReadUntil("\r\n\r\n");
  EXPECT_THAT(Ask("/a"), EndsWith("ok"));  // nobody waits for the slow one
  client.Send(Get("/a", "Connection: close\r\n"));
  std::string rest = client.ReadToEnd();
  EXPECT_GT(rest.size(), 30000000);
  EXPECT_THAT(rest, EndsWith("ok"));
}

TEST_F(ServerTest, WhatAHandlerLeavesInOpenSslsErrorsEndsNoConnection) {
  Start();
  Socket client(server_->port());
  ASSERT_TRUE(client.Tls());
  for (int i = 0; i < 2; ++i) {
    client.Send(Get("/complain"));
    EXPECT_THAT(client.ReadUntil("ok"), EndsWith("ok"));
  }
}

TEST_F(ServerTest, BodiesPastTheLimitAreAnsweredAndTheClientHearsIt) {
  Start();
  const std::string limit = std::to_string((3 << 20) + 1), far = std::to_string(20 << 20);
  for (const std::string& size : {limit, far}) {
    Socket client(server_->port());
    ASSERT_TRUE(client.Tls());
    client.Send("PUT /echo HTTP/1.1\r\nHost: h\r\nContent-Length: " + size + "\r\n\r\n" +
                std::string(std::stoul(size), 'b'));
    EXPECT_THAT(client.ReadUntil("too large"), HasSubstr("with 0 too large")) << size;
  }
  EXPECT_THAT(Ask("/a"), EndsWith("ok"));
}

TEST_F(ServerTest, EventsReachWatchersOnAllThreads) {
  Start();
  std::vector<std::unique_ptr<Socket>> clients;
  for (int i = 0; i < 20; ++i) {
    auto& client = clients.emplace_back(std::make_unique<Socket>(server_->port()));
    ASSERT_TRUE(client->Tls());
    client->Send(Get("/watch/" + std::to_string(i)));
    EXPECT_THAT(client->ReadUntil("\r\n\r\n"), HasSubstr("chunked"));
  }
  for (int i = 0; i < 20; ++i) handler_.feed(std::to_string(i))->Send("event " + std::to_string(i));
  for (int i = 0; i < 20; ++i) EXPECT_THAT(clients[i]->ReadUntil("\r\n"), HasSubstr("event"));
}

// Clients that say nothing, too little, or that do not take their answers are let go, each for its own reason.
TEST_F(ServerTest, ClientsWithoutAHandshakeAreLetGo) {
  ServerOptions options = Options();
  options.limits.handshake_timeout = milliseconds(20);
  options.limits.timeout_check = milliseconds(5);
  Start(options);
  Socket silent(server_->port());
  EXPECT_EQ(silent.Read(), "");
}

TEST_F(ServerTest, SilentAndSlowClientsAreLetGo) {
  ServerOptions options = Options();
  options.limits.header_timeout = options.limits.body_timeout = milliseconds(20);
  options.limits.idle_timeout = options.limits.write_timeout = milliseconds(20);
  options.limits.timeout_check = milliseconds(5);
  Start(options);
  for (const char* start : {"", "GET /", "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabc"}) {
    Socket client(server_->port());
    ASSERT_TRUE(client.Tls());
    client.Send(start);
    const std::string answer = client.ReadToEnd();
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 408 ")) << start;
  }
  {
    Socket h2(server_->port());
    ASSERT_TRUE(h2.Tls({.alpn = "\x02h2"}));
    h2.Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    h2.ReadToEnd();
  }
  Socket slow(server_->port());
  ASSERT_TRUE(slow.Tls());
  slow.Send(Get("/stream/300000000"));
  while (server_->connections() > 0) std::this_thread::yield();
  EXPECT_LT(slow.ReadToEnd().size(), 300000000);
}

TEST_F(ServerTest, AWatchWithoutEventsIsNotIdle) {
  ServerOptions options = Options();
  options.limits.idle_timeout = milliseconds(300);
  options.limits.timeout_check = milliseconds(5);
  Start(options);
  Socket client(server_->port()), idle(server_->port());
  ASSERT_TRUE(client.Tls());
  client.Send(Get("/watch/w"));
  client.ReadUntil("\r\n\r\n");
  ASSERT_TRUE(idle.Tls());
  EXPECT_EQ(idle.ReadToEnd(), "");
  handler_.feed("w")->Send("still here");
  EXPECT_THAT(client.ReadUntil("still here"), HasSubstr("still here"));
}

TEST_F(ServerTest, ConnectionsAreBounded) {
  ServerOptions options = Options();
  options.limits.connections = 2;
  Start(options);
  Socket one(server_->port()), two(server_->port());
  ASSERT_TRUE(one.Tls() && two.Tls());
  Socket three(server_->port());
  EXPECT_FALSE(three.Tls());
  one.Send(Get("/a"));
  EXPECT_THAT(one.ReadUntil("ok"), EndsWith("ok"));
}

TEST_F(ServerTest, OneAddressLeavesConnectionsToTheOthers) {
  ServerOptions options = Options();
  options.limits.connections = 8;
  Start(options);
  std::vector<std::unique_ptr<Socket>> mine;
  for (int i = 0; i < 6; ++i) {
    mine.push_back(std::make_unique<Socket>(server_->port()));
    ASSERT_TRUE(mine.back()->Tls());
  }
  EXPECT_FALSE(Socket(server_->port()).Tls()) << "three quarters are there";
  Socket one(server_->port(), INADDR_LOOPBACK + 1), two(server_->port(), INADDR_LOOPBACK + 1);
  ASSERT_TRUE(one.Tls() && two.Tls());
  EXPECT_FALSE(Socket(server_->port(), INADDR_LOOPBACK + 1).Tls()) << "all are there";
  one.Send(Get("/a"));
  EXPECT_THAT(one.ReadUntil("ok"), EndsWith("ok"));
  mine.clear();
  while (server_->connections() > 2) std::this_thread::yield();
  EXPECT_TRUE(Socket(server_->port()).Tls()) << "what was given back is there again";
}

TEST(AddressOf, IsTheNetworkOfAnIpv6Address) {
  const auto of = [](std::string text) { return AddressOf({.remote_address = std::move(text)}); };
  EXPECT_EQ(of("10.0.0.1:5"), of("10.0.0.1:6"));
  EXPECT_NE(of("10.0.0.1:5"), of("10.0.0.2:5"));
  EXPECT_EQ(of("[2001:db8::1]:5"), of("[2001:db8::ffff:1]:6"));
  EXPECT_NE(of("[2001:db8::1]:5"), of("[2001:db8:0:1::1]:5"));
}

TEST_F(ServerTest, NamesHaveCertificatesOfTheirOwn) {
  const auto make = [](const std::string& name) { return *FindOrMakeCertificate(*directory_ + "/" + name, {name}); };
  ServerOptions options = Options();
  options.named_certificates = {{make("a.io"), {"a.io", "*.wild.io"}}, {make("b.io"), {}}};
  Start(options);
  const auto served = [&](const char* name) {
    Socket client(server_->port());
    EXPECT_TRUE(client.Tls({.name = name}));
    X509* certificate = SSL_get0_peer_certificate(client.ssl());
    char text[200] = {};
    for (const char* each : {"a.io", "b.io"}) {
      if (X509_check_host(certificate, each, 0, 0, nullptr) == 1) return std::string(each);
    }
    return std::string(text);
  };
  EXPECT_EQ(served("a.io"), "a.io");
  EXPECT_EQ(served("A.IO"), "a.io");
  EXPECT_EQ(served("x.wild.io"), "a.io");
  EXPECT_EQ(served("x.y.wild.io"), "");
  EXPECT_EQ(served("b.io"), "b.io");  // by its own names
  EXPECT_EQ(served("c.io"), "");
  EXPECT_EQ(served(nullptr), "");
}

TEST_F(ServerTest, OffersTheCiphersAndVersionsThatWereAskedFor) {
  const auto connects = [&](const TlsParameters& parameters, int version, const char* suites) {
    ServerOptions options = Options();
    options.tls_parameters = parameters;
    Start(options);
    Socket client(server_->port());
    return client.Tls({.max_version = version, .suites = suites});
  };
  const char* const gcm256 = "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384";
  const TlsParameters only128{
      .cipher_suites = {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"}};
  EXPECT_TRUE(connects({}, TLS1_2_VERSION, gcm256));
  EXPECT_FALSE(connects(only128, TLS1_2_VERSION, gcm256));
  EXPECT_TRUE(connects(only128, TLS1_2_VERSION, nullptr));
  EXPECT_TRUE(connects(only128, TLS1_3_VERSION, nullptr));  // whose suites are not chosen
  EXPECT_FALSE(connects({.cipher_suites = {"TLS_AES_128_GCM_SHA256"}}, TLS1_2_VERSION, nullptr));
  EXPECT_FALSE(connects({.min_version = TLS1_3_VERSION}, TLS1_2_VERSION, nullptr));
  EXPECT_FALSE(connects({}, TLS1_1_VERSION, "ALL:@SECLEVEL=0"));
  EXPECT_TRUE(connects({.min_version = TLS1_VERSION}, TLS1_1_VERSION, "ALL:@SECLEVEL=0"));
}

TEST_F(ServerTest, WatchesEndOneAfterTheOther) {
  Start();
  std::vector<std::unique_ptr<Socket>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(std::make_unique<Socket>(server_->port()));
    ASSERT_TRUE(clients.back()->Tls());
    clients.back()->Send(Get("/watch/w" + std::to_string(i)));
    clients.back()->ReadUntil("\r\n\r\n");
  }
  std::atomic<bool> stopped = false;
  std::thread stopper([&] {
    server_->Stop(milliseconds(5000), milliseconds(300));
    stopped = true;
  });
  int most = 0, least = 6;  // how many were there at once, seen before the end
  while (!stopped) {
    const int open = server_->connections();
    if (open > 0 && open < 6) most = std::max(most, open), least = std::min(least, open);
    std::this_thread::yield();
  }
  stopper.join();
  EXPECT_GT(most, least);
  for (auto& client : clients) EXPECT_THAT(client->ReadToEnd(), EndsWith("0\r\n\r\n"));
}

TEST(Connections, LeaveDescriptorsToTheRest) {
  const Limits limits{.connections = 20000, .reserved_descriptors = 1000};
  EXPECT_EQ(MostConnections(limits, 1 << 20), 20000);
  EXPECT_EQ(MostConnections(limits, 21000), 20000);
  EXPECT_EQ(MostConnections(limits, 20999), 19999);
  EXPECT_EQ(MostConnections(limits, 20000), 19000);
  EXPECT_EQ(MostConnections(limits, 2000), 1000);
  EXPECT_EQ(MostConnections(limits, 256), 128);
}

TEST_F(ServerTest, StopEndsWatchesLetsRequestsEndAndClosesIdleConnections) {
  Start();
  Socket idle(server_->port()), watch(server_->port()), parked(server_->port());
  ASSERT_TRUE(idle.Tls() && watch.Tls() && parked.Tls());
  watch.Send(Get("/watch/w"));
  watch.ReadUntil("\r\n\r\n");
  parked.Send(Get("/park/p"));
  AwaitParked("p");
  auto stopped = std::async(std::launch::async, [this] { server_->Stop(std::chrono::seconds(20)); });
  EXPECT_EQ(idle.ReadToEnd(), "");
  EXPECT_THAT(watch.ReadToEnd(), EndsWith("0\r\n\r\n"));
  handler_.Release("p");
  EXPECT_THAT(parked.ReadToEnd(), HasSubstr("released"));
  stopped.wait();
  EXPECT_EQ(handler_.abandoned(), 0);
}

TEST_F(ServerTest, StopWithoutGraceAbandonsWhatRuns) {
  Start();
  Socket parked(server_->port());
  ASSERT_TRUE(parked.Tls());
  parked.Send(Get("/park/p"));
  AwaitParked("p");
  auto stopped = std::async(std::launch::async, [this] { server_->Stop(milliseconds(0)); });
  EXPECT_EQ(parked.ReadToEnd(), "");
  handler_.Release("p");  // Stop waits for the handler, whose answer nobody wants
  stopped.wait();
  EXPECT_EQ(handler_.abandoned(), 1);
}

// 100,000 random byte strings are played in memory by the session tests; some here, through sockets and into TLS.
TEST_F(ServerTest, RandomBytesHarmNobody) {
  Start();
  std::mt19937 random(20262);
  for (int i = 0; i < 300; ++i) {
    Socket client(server_->port());
    if (i % 3 == 0 && !client.Tls({.alpn = i % 2 == 0 ? "\x02h2" : ""})) continue;
    std::string bytes = i % 4 == 1 ? std::string("\x16\x03\x01\x01", 4) : "";
    for (unsigned size = random() % 300; size > 0; --size) bytes += static_cast<char>(random());
    client.Send(bytes);
    client.HalfClose();
    client.ReadToEnd();
  }
  EXPECT_THAT(Ask("/a"), EndsWith("ok"));
}

}  // namespace
}  // namespace http
