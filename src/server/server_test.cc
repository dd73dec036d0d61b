#include "server/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <memory>
#include <tuple>

#include "auth/json_web_token.h"
#include "base/files.h"
#include "base/text.h"
#include "engine/rocksdb/rocksdb_engine.h"
#include "server/signing_key_file.h"
#include "store/store.h"

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

TEST_F(ServerTest, ClassifiesRequestsUnlessFairnessIsOff) {
  constexpr std::string_view kHeader = "X-Kubernetes-Pf-Flowschema-Uid";
  Options options = MakeOptions();
  EXPECT_NE(Get(StartServer(options)->port(), kConfigMaps).find(kHeader), std::string::npos);
  options.fairness = false;
  std::unique_ptr<Server> server = StartServer(options);
  const std::string answer = Get(server->port(), kConfigMaps);
  EXPECT_NE(answer.find("200 OK"), std::string::npos);
  EXPECT_EQ(answer.find(kHeader), std::string::npos) << answer;
  EXPECT_NE(Get(server->port(), "/readyz/poststarthook/max-in-flight-filter").find("200 OK"), std::string::npos);
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

TEST_F(ServerTest, TakesTheTokensThatItGivesOut) {
  const std::string key = folder_ / "key";
  ASSERT_TRUE(KeepSigningKey(key));
  const auto made = std::filesystem::last_write_time(key);
  ASSERT_TRUE(KeepSigningKey(key));
  EXPECT_EQ(std::filesystem::last_write_time(key), made) << "once";
  Options options = MakeOptions();
  options.service_accounts = {.issuers = {"me"}, .key_files = {key}, .signing_key_file = key};
  std::unique_ptr<Server> server = StartServer(options);
  ASSERT_TRUE(server);
  const std::string accounts = "/api/v1/namespaces/default/serviceaccounts";
  ASSERT_NE(Post(server->port(), accounts, R"({"metadata":{"name":"a"}})").find("201 Created"), std::string::npos);
  // Long enough to stand on the heap: it has to outlive what waits for the account.
  const std::string manager = "who-asks-for-a-token-of-this-account";
  const std::string answer = Post(server->port(), accounts + "/a/token?fieldManager=" + manager, "{}");
  EXPECT_NE(answer.find(base::Cat(R"("manager":")", manager, "\"")), std::string::npos) << answer;
  const size_t begin = answer.find(R"("token":")") + 9;
  const std::string token = answer.substr(begin, answer.find('"', begin) - begin);
  EXPECT_NE(Get(server->port(), kConfigMaps, token).find("system:serviceaccount:default:a"), std::string::npos);
  const std::string review = base::Cat(R"({"spec":{"token":")", token, R"("}})");
  const std::string reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
  EXPECT_NE(Post(server->port(), reviews, review).find(R"("audiences":["me"])"), std::string::npos);
  Ask(server->port(), base::Cat("DELETE ", accounts, "/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n",
                                "Connection: close\r\n\r\n"));
  EXPECT_NE(Get(server->port(), kConfigMaps, token).find("401"), std::string::npos);
  EXPECT_NE(Post(server->port(), reviews, review).find(R"(serviceaccounts \"a\" not found)"), std::string::npos);
}

// The text as a secret's data has it.
std::string Base64(std::string_view text) {
  std::string encoded((text.size() + 2) / 3 * 4, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()), reinterpret_cast<const unsigned char*>(text.data()),
                  static_cast<int>(text.size()));
  return encoded;
}

TEST_F(ServerTest, TakesTheTokensOfNodesThatJoin) {
  Options options = MakeOptions();
  options.access.bootstrap_tokens = true;
  std::unique_ptr<Server> server = StartServer(options);
  ASSERT_TRUE(server);
  const std::string secrets = "/api/v1/namespaces/kube-system/secrets";
  ASSERT_NE(Post(server->port(), "/api/v1/namespaces", R"({"metadata":{"name":"kube-system"}})"), "");
  const auto keep = [&](std::string_view id, std::string_view usage, std::string_view expiration,
                        std::string_view groups) {
    return Post(server->port(), secrets,
                base::Cat(R"({"metadata":{"name":"bootstrap-token-)", id,
                          R"("},"type":"bootstrap.kubernetes.io/token","data":{"token-id":")", Base64(id),
                          R"(","token-secret":")", Base64("0123456789abcdef"),
                          R"(","usage-bootstrap-authentication":")", Base64(usage), R"(","expiration":")",
                          Base64(expiration), R"(","auth-extra-groups":")", Base64(groups), R"("}})"));
  };
  for (const auto& [id, usage, expiration, groups] :
       {std::tuple("aaaaaa", "true", "", "system:bootstrappers:workers"), std::tuple("bbbbbb", "false", "", ""),
        std::tuple("cccccc", "true", "2020-01-01T00:00:00Z", ""), std::tuple("dddddd", "true", "", "system:masters"),
        std::tuple("eeeeee", "true", "2999-01-01T00:00:00Z", "")}) {
    ASSERT_NE(keep(id, usage, expiration, groups).find("201 Created"), std::string::npos) << id;
  }
  const auto says = [&](std::string token) { return Get(server->port(), kConfigMaps, token); };
  EXPECT_NE(says("aaaaaa.0123456789abcdef").find("system:bootstrap:aaaaaa"), std::string::npos);
  EXPECT_NE(says("eeeeee.0123456789abcdef").find("system:bootstrap:eeeeee"), std::string::npos);
  for (const char* token : {"aaaaaa.0123456789abcdee", "aaaaaa.0123456789abcde", "aaaaab.0123456789abcdef",
                            "bbbbbb.0123456789abcdef", "cccccc.0123456789abcdef", "dddddd.0123456789abcdef"}) {
    EXPECT_NE(says(token).find(" 401 "), std::string::npos) << token;
  }
  const std::string review = Post(server->port(), "/apis/authentication.k8s.io/v1/tokenreviews",
                                  R"({"spec":{"token":"aaaaaa.0123456789abcdef"}})");
  EXPECT_NE(review.find(R"("groups":["system:bootstrappers","system:bootstrappers:workers","system:authenticated"])"),
            std::string::npos)
      << review;
}

TEST_F(ServerTest, TakesTheTokensThatSecretsKeep) {
  const std::string key = folder_ / "key";
  ASSERT_TRUE(KeepSigningKey(key));
  Options options = MakeOptions();
  options.service_accounts = {.issuers = {"me"}, .key_files = {key}, .signing_key_file = key};
  std::unique_ptr<Server> server = StartServer(options);
  ASSERT_TRUE(server);
  const std::string account =
      Post(server->port(), "/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"a"}})");
  const size_t begin = account.find(R"("uid":")") + 7;
  const std::string uid = account.substr(begin, account.find('"', begin) - begin);
  const auto signer = auth::TokenSigner::Parse(base::ReadFile(key).value()).value();
  const auto token_for = [&](std::string_view account_uid) {
    return signer->Sign(base::Cat(R"({"iss":"kubernetes/serviceaccount","sub":"system:serviceaccount:default:a",)",
                                  R"("kubernetes.io/serviceaccount/namespace":"default",)",
                                  R"("kubernetes.io/serviceaccount/secret.name":"s",)",
                                  R"("kubernetes.io/serviceaccount/service-account.name":"a",)",
                                  R"("kubernetes.io/serviceaccount/service-account.uid":")", account_uid, R"("})"));
  };
  const std::string token = token_for(uid);
  const auto says = [&](const std::string& which) { return Get(server->port(), kConfigMaps, which); };
  EXPECT_NE(says(token).find(" 401 "), std::string::npos) << "no secret keeps it";
  const std::string secret =
      base::Cat(R"({"metadata":{"name":"s","annotations":{"kubernetes.io/service-account.name":"a"}},)",
                R"("type":"kubernetes.io/service-account-token","data":{"token":")", Base64(token), R"("}})");
  ASSERT_NE(Post(server->port(), "/api/v1/namespaces/default/secrets", secret).find("201 Created"), std::string::npos);
  EXPECT_NE(says(token).find("system:serviceaccount:default:a"), std::string::npos) << says(token);
  EXPECT_NE(says(token_for("other")).find(" 401 "), std::string::npos);
  Ask(server->port(), base::Cat("DELETE /api/v1/namespaces/default/secrets/s HTTP/1.1\r\nHost: x\r\n",
                                "Authorization: Bearer t\r\nConnection: close\r\n\r\n"));
  EXPECT_NE(says(token).find(" 401 "), std::string::npos);
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

// Objects that something else than this program has damaged.
class UnreadableObjectTest : public ServerTest {
 protected:
  // Config maps a and b of the default namespace; a is damaged on disk.
  void Damage() {
    ASSERT_TRUE(StartServer(MakeOptions(StoreKind::kRocksDb)));
    auto engine = engine::OpenRocksDbEngine({.path = folder_ / "store", .sync = false});
    ASSERT_TRUE(engine);
    auto store = store::Store::Open(*std::move(engine), {});
    ASSERT_TRUE(store);
    for (const auto& [key, bytes] : {std::pair("default/a", "k8s garbage"), std::pair("default/b", kGood)}) {
      std::promise<bool> done;
      std::vector<store::Write> writes(1);
      // Where the digits of the revision go: between the last quotes, or behind what is no object.
      const size_t hole = std::string_view(bytes).ends_with("\"\"}}") ? std::string_view(bytes).size() - 3
                                                                      : std::string_view(bytes).size();
      writes[0] = {(*store)->Collection("configmaps").value(), key,
                   store::Body{.bytes = bytes, .revision_offset = static_cast<uint32_t>(hole)}, store::kAnyRevision};
      (*store)->Commit(std::move(writes), [&](const auto& committed) { done.set_value(committed.has_value()); });
      ASSERT_TRUE(done.get_future().get());
    }
  }
  std::unique_ptr<Server> StartWithGate(bool gate) {
    Options options = MakeOptions(StoreKind::kRocksDb);
    std::vector<std::string> gates = {gate ? "AllowUnsafeMalformedObjectDeletion=true" : "AllAlpha=false"}, warnings;
    options.gates = FeatureGates::Parse(gates, warnings).value();
    return StartServer(options);
  }
  static std::string Delete(const Server& server, std::string_view path, std::string_view body = "") {
    return Ask(server.port(), base::Cat("DELETE ", path, " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n",
                                        "Content-Type: application/json\r\nContent-Length: ", body.size(),
                                        "\r\nConnection: close\r\n\r\n", body));
  }
  static void Expect(const std::string& answer, std::string_view status, std::string_view text) {
    EXPECT_NE(answer.find(status), std::string::npos) << answer;
    EXPECT_NE(answer.find(text), std::string::npos) << answer;
  }
  static constexpr const char* kGood =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b","uid":"u","resourceVersion":""}})";
  static constexpr std::string_view kForce =
      R"({"kind":"DeleteOptions","apiVersion":"v1","ignoreStoreReadErrorWithClusterBreakingPotential":true})";
  const std::string a_ = base::Cat(kConfigMaps, "/a"), b_ = base::Cat(kConfigMaps, "/b");
};

TEST_F(UnreadableObjectTest, CanBeDeletedByForceOnly) {
  Damage();
  std::unique_ptr<Server> server = StartWithGate(true);
  ASSERT_TRUE(server);
  const std::string_view corrupt =
      "Internal error occurred: StorageError: corrupt object, Code: 7, Key: /configmaps/default/a, ResourceVersion: 0, "
      "AdditionalErrorMsg: object not decodable revision=";
  Expect(Get(server->port(), a_), " 500 ", corrupt);
  Expect(Delete(*server, a_), " 500 ", corrupt);
  Expect(Get(server->port(), kConfigMaps), " 500 ", "failed to read one or more configmaps from the storage");
  Expect(Get(server->port(), kConfigMaps), R"("reason":"StorageReadError")",
         R"("field":"/registry/configmaps/default/a")");
  Expect(Delete(*server, kConfigMaps), " 500 ", "StorageReadError");
  Expect(Get(server->port(), "/api/v1/namespaces/kube-system/configmaps"), " 200 ", "ConfigMapList");
  Expect(Post(server->port(), kConfigMaps, kConfigMap), " 409 ", "already exists");
  Expect(Get(server->port(), b_), " 200 ", R"("name":"b")");
  Expect(Delete(*server, b_, kForce), " 422 ", "is exclusively used to delete corrupt object(s)");
  Expect(Delete(*server, base::Cat(kConfigMaps, "/none"), kForce), " 422 ", "is exclusively used");

  Expect(Delete(*server, a_, kForce), " 200 ",
         R"("status":"Success","details":{"name":"a","kind":"ConfigMap"},"code":200})");
  Expect(Get(server->port(), a_), " 404 ", "not found");
  Expect(Delete(*server, a_, kForce), " 422 ", "is exclusively used");
  Expect(Get(server->port(), kConfigMaps), " 200 ", R"("name":"b")");
}

TEST_F(UnreadableObjectTest, WithoutTheGateNothingHelps) {
  Damage();
  std::unique_ptr<Server> server = StartWithGate(false);
  ASSERT_TRUE(server);
  Expect(Get(server->port(), a_), " 500 ", "invalid character 'k' looking for beginning of value");
  Expect(Get(server->port(), kConfigMaps), " 500 ", "invalid character");
  Expect(Delete(*server, a_, kForce), " 500 ", "invalid character");
}

TEST_F(ServerTest, LivenessWaitsForTheStartOnlyAfterItsGrace) {
  Options options = MakeOptions();
  options.livez_grace = std::chrono::hours(1);
  options.controllers.api_services = false;
  std::unique_ptr<Server> server = StartServer(options);
  ASSERT_TRUE(server);
  const std::string verbose = Get(server->port(), "/readyz?verbose");
  EXPECT_NE(verbose.find("[+]poststarthook/rbac/bootstrap-roles ok"), std::string::npos) << verbose;
  EXPECT_EQ(verbose.find("apiservice-status"), std::string::npos) << "that controller does not run";
  EXPECT_NE(Get(server->port(), "/livez").find("200 OK"), std::string::npos);
}

TEST_F(ServerTest, NamespacesAreLookedAtUnlessThePluginIsOff) {
  Options options = MakeOptions();
  constexpr std::string_view kNowhere = "/api/v1/namespaces/nowhere/configmaps";
  EXPECT_NE(Post(StartServer(options)->port(), kNowhere, kConfigMap).find("404"), std::string::npos);
  std::erase(options.admission_plugins, "NamespaceLifecycle");
  EXPECT_NE(Post(StartServer(options)->port(), kNowhere, kConfigMap).find("201 Created"), std::string::npos);
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
