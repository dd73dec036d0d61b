#include "server/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "base/text.h"

namespace server {
namespace {

// One request over TLS; the whole answer, head and body.
std::string Ask(uint16_t port, std::string_view request) {
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.get()), SSL_free);
    SSL_set_fd(tls.get(), fd);
    if (SSL_connect(tls.get()) == 1) {
      SSL_write(tls.get(), request.data(), static_cast<int>(request.size()));
      char buffer[4096];
      for (int got = 0; (got = SSL_read(tls.get(), buffer, sizeof(buffer))) > 0;) answer.append(buffer, got);
    }
  }
  close(fd);
  return answer;
}

std::string Get(uint16_t port, std::string_view path, std::string_view token = "t") {
  return Ask(port, base::Cat("GET ", path, " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ", token,
                             "\r\nConnection: close\r\n\r\n"));
}

std::string Post(uint16_t port, std::string_view path, std::string_view body) {
  return Ask(port, base::Cat("POST ", path,
                             " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\n",
                             "Content-Length: ", body.size(), "\r\nConnection: close\r\n\r\n", body));
}

class ServerTest : public testing::Test {
 protected:
  ServerTest() : folder_(std::filesystem::path(testing::TempDir()) / base::Cat("server_test.", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~ServerTest() override { std::filesystem::remove_all(folder_); }

  Options MakeOptions(StoreKind kind = StoreKind::kMemory) const {
    Options options;
    options.certificate_directory = folder_ / "pki";
    options.io_threads = 1;
    options.store = {.kind = kind, .directory = folder_ / "store", .sync = false};
    options.access.admin_token = "t";
    options.access.authorization_modes = {"RBAC"};
    return options;
  }
  std::unique_ptr<Server> StartServer(const Options& options) {
    base::Result<std::unique_ptr<Server>> server = Server::Start(options, logger_);
    if (!server) ADD_FAILURE() << server.error().message;
    return server ? *std::move(server) : nullptr;
  }

  const std::filesystem::path folder_;
  base::Logger logger_{2, base::SystemClock()};
};

constexpr std::string_view kConfigMap = R"({"metadata":{"name":"a"},"data":{"k":"v"}})";
constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";

TEST_F(ServerTest, ServesFromTheMomentStartReturns) {
  std::unique_ptr<Server> server = StartServer(MakeOptions());
  ASSERT_TRUE(server);
  EXPECT_NE(Get(server->port(), "/readyz").find("200 OK"), std::string::npos);
  EXPECT_NE(Get(server->port(), "/api/v1/namespaces/kube-system").find("200 OK"), std::string::npos);
  EXPECT_NE(Get(server->port(), "/api/v1/namespaces/default/services/kubernetes").find("10.0.0.1"), std::string::npos);
  EXPECT_NE(Get(server->port(), "/api/v1/nodes", "wrong").find("401"), std::string::npos);
}

TEST_F(ServerTest, ManyLiveInOneProcess) {
  std::unique_ptr<Server> one = StartServer(MakeOptions());
  std::unique_ptr<Server> other = StartServer(MakeOptions());
  ASSERT_TRUE(one && other);
  EXPECT_NE(Post(one->port(), kConfigMaps, kConfigMap).find("201 Created"), std::string::npos);
  EXPECT_NE(Get(one->port(), base::Cat(kConfigMaps, "/a")).find("200 OK"), std::string::npos);
  EXPECT_NE(Get(other->port(), base::Cat(kConfigMaps, "/a")).find("404"), std::string::npos);
  one.reset();
  EXPECT_NE(Get(other->port(), "/readyz").find("200 OK"), std::string::npos);
}

TEST_F(ServerTest, ObjectsOutlastARestart) {
  std::unique_ptr<Server> server = StartServer(MakeOptions(StoreKind::kRocksDb));
  ASSERT_TRUE(server);
  EXPECT_NE(Post(server->port(), kConfigMaps, kConfigMap).find("201 Created"), std::string::npos);
  server.reset();
  server = StartServer(MakeOptions(StoreKind::kRocksDb));
  ASSERT_TRUE(server);
  EXPECT_NE(Get(server->port(), base::Cat(kConfigMaps, "/a")).find(R"("k":"v")"), std::string::npos);
}

TEST_F(ServerTest, ASecondServerDoesNotTouchTheSameDirectory) {
  std::unique_ptr<Server> server = StartServer(MakeOptions(StoreKind::kRocksDb));
  ASSERT_TRUE(server);
  EXPECT_FALSE(Server::Start(MakeOptions(StoreKind::kRocksDb), logger_));
}

TEST_F(ServerTest, ReadinessFailsFirst) {
  std::unique_ptr<Server> server = StartServer(MakeOptions());
  ASSERT_TRUE(server);
  server->BeginStop();
  EXPECT_NE(Get(server->port(), "/readyz").find(" 500 "), std::string::npos);
  EXPECT_NE(Get(server->port(), "/livez").find("200 OK"), std::string::npos);
  EXPECT_NE(Get(server->port(), "/api/v1/namespaces/default").find("200 OK"), std::string::npos)
      << "served on meanwhile";
  uint16_t port = server->port();
  server->Stop();
  EXPECT_EQ(Get(port, "/livez"), "");
}

TEST_F(ServerTest, RolesTakeEffect) {
  Options options = MakeOptions();
  std::string tokens = folder_ / "tokens";
  std::FILE* file = std::fopen(tokens.c_str(), "w");
  std::fputs("u,alice,alice-uid\n", file);
  std::fclose(file);
  options.access.token_file = tokens;
  std::unique_ptr<Server> server = StartServer(options);
  ASSERT_TRUE(server);
  EXPECT_NE(Get(server->port(), kConfigMaps, "u").find("403"), std::string::npos);
  EXPECT_NE(Get(server->port(), "/version", "u").find("200 OK"), std::string::npos) << "a bootstrap role";
  std::string rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/";
  EXPECT_NE(
      Post(
          server->port(), rbac + "rolebindings",
          R"({"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},)"
          R"("subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"alice"}]})")
          .find("201 Created"),
      std::string::npos);
  // The write is acknowledged before the policy is built anew: one hop of a thread lies between them.
  std::string answer;
  for (int i = 0; i < 1000 && answer.find("200 OK") == std::string::npos; ++i) {
    answer = Get(server->port(), kConfigMaps, "u");
  }
  EXPECT_NE(answer.find("200 OK"), std::string::npos) << answer;
}

TEST_F(ServerTest, SaysWhatKeepsItFromStarting) {
  Options options = MakeOptions();
  options.access.token_file = "/nonexistent";
  base::Result<std::unique_ptr<Server>> server = Server::Start(options, logger_);
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().message.find("/nonexistent"), std::string::npos);
  options = MakeOptions();
  options.runtime_config = {{"foo/v1", "true"}};
  server = Server::Start(options, logger_);
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().message, "unknown api groups foo");
}

}  // namespace
}  // namespace server
