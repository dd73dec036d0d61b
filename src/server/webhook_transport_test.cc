#include "server/webhook_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <optional>

#include "base/text.h"
#include "engine/memory/memory_engine.h"
#include "resources/api_resource_config.h"
#include "resources/builtin.h"

namespace server {
namespace {

using base::Cat;
using std::chrono::seconds;

class InlineExecutor final : public base::Executor {
 public:
  void Post(base::Work work) override { work(); }
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }
};

class FakeClient final : public exchange::Client {
 public:
  base::Task<exchange::OutboundResult> Call(base::Executor&, exchange::OutboundRequest request) override {
    asked = std::move(request);
    co_return result;
  }
  std::optional<exchange::OutboundRequest> asked;
  exchange::OutboundResult result = exchange::OutboundAnswer{.status = 200, .headers = {}, .body = "{}"};
};

class WebhookTransportTest : public testing::Test {
 protected:
  void Put(std::string_view plural, const std::string& key, std::string_view spec) {
    std::string bytes = Cat(R"({"kind":"K","apiVersion":"v1","metadata":{"resourceVersion":""},)", spec, "}");
    const auto offset = static_cast<uint32_t>(bytes.find(R"("resourceVersion":")") + 19);
    std::promise<bool> done;
    store_->Commit({{.collection = table_->Find("", "v1", plural)->storage->id,
                     .key = key,
                     .body = store::Body{.bytes = std::move(bytes), .revision_offset = offset}}},
                   [&](const base::Result<store::Committed>& result) { done.set_value(result.has_value()); });
    ASSERT_TRUE(done.get_future().get());
  }

  // The body of the answer, or what is said of it.
  std::string Post(const exchange::WebhookAddress& address, seconds time = seconds(10), bool routes = false,
                   WebhookCredentials credentials = {}) {
    WebhookTransport transport({.client = client_,
                                .store = *store_,
                                .resources = *table_,
                                .random = base::SystemRandom(),
                                .credentials = std::move(credentials),
                                .routes_to_endpoints = routes});
    std::string said;
    client_.asked.reset();
    base::Spawn(transport.Post(executor_,
                               {.address = address, .body = "{}", .deadline = std::chrono::steady_clock::now() + time}),
                [&](auto answer, std::exception_ptr) { said = *answer ? **answer : answer->error().message; });
    return said;
  }

  std::unique_ptr<store::Store> store_ = std::move(*store::Store::Open(engine::MakeMemoryEngine(), {}));
  const registry::ResourceTableRef table_ =
      resources::MakeBuiltinTable(*resources::ApiResourceConfig::Make({}), store_.get()).value();
  InlineExecutor executor_;
  FakeClient client_;
};

TEST_F(WebhookTransportTest, GoesWhereTheUrlLeads) {
  struct {
    std::string url, host, port, authority, target;
  } cases[] = {
      {"https://hook.example/a/b", "hook.example", "443", "hook.example", "/a/b?timeout=10s"},
      {"https://127.0.0.1:8443", "127.0.0.1", "8443", "127.0.0.1:8443", "/?timeout=10s"},
      {"https://[::1]:1/a//b/../c/", "::1", "1", "[::1]:1", "/a/c?timeout=10s"},
      {"https://h/a%20b%2Fc", "h", "443", "h", "/a%20b/c?timeout=10s"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Post({.url = c.url, .service = {}, .authorities_pem = "pem"}), "{}");
    ASSERT_TRUE(client_.asked) << c.url;
    EXPECT_EQ(client_.asked->host, c.host);
    EXPECT_EQ(Cat(client_.asked->port), c.port);
    EXPECT_EQ(client_.asked->headers.Get("host"), c.authority);
    EXPECT_EQ(client_.asked->target, c.target);
    EXPECT_EQ(client_.asked->tls->server_name, c.host);
    EXPECT_EQ(client_.asked->tls->authorities_pem, "pem");
  }
  Post({.url = "https://h", .service = {}, .authorities_pem = {}}, seconds(90));
  EXPECT_EQ(client_.asked->target, "/?timeout=1m30s");
  EXPECT_EQ(Post({.url = "http://h", .service = {}, .authorities_pem = {}}), "only https URLs are called");
}

TEST_F(WebhookTransportTest, FindsServices) {
  Put("services", "ns/hook",
      R"("spec":{"type":"ClusterIP","clusterIP":"10.0.0.7","ports":[{"name":"x","port":443,"targetPort":8443}]})");
  Put("services", "ns/headless", R"("spec":{"type":"ClusterIP","clusterIP":"None","ports":[{"port":443}]})");
  Put("services", "ns/outside", R"("spec":{"type":"ExternalName","externalName":"hook.example"})");
  const auto ask = [&](const std::string& name, uint16_t port = 443, bool routes = false) {
    return Post({.url = {},
                 .service = exchange::WebhookService{.namespace_name = "ns", .name = name, .path = "/p", .port = port},
                 .authorities_pem = {}},
                seconds(10), routes);
  };
  const auto error = [](std::string_view name, std::string_view what, int port = 443) {
    return Cat("Post \"https://", name, ".ns.svc:", port, "/p?timeout=10s\": ", what);
  };
  EXPECT_EQ(ask("hook"), "{}");
  EXPECT_EQ(client_.asked->host, "10.0.0.7");
  EXPECT_EQ(client_.asked->headers.Get("host"), "hook.ns.svc:443");
  EXPECT_EQ(client_.asked->tls->server_name, "hook.ns.svc");
  EXPECT_EQ(ask("outside"), "{}");
  EXPECT_EQ(client_.asked->host, "hook.example");
  EXPECT_EQ(ask("none"), error("none", R"(service "none" not found)"));
  EXPECT_EQ(ask("hook", 444), error("hook", R"(no service port 444 found for service "hook")", 444));
  EXPECT_EQ(ask("headless"), error("headless", R"(cannot route to service with ClusterIP "None")"));

  EXPECT_EQ(ask("hook", 443, true), error("hook", R"(endpoints "hook" not found)"));
  Put("endpoints", "ns/hook", R"("subsets":[{"addresses":[{"ip":"10.1.0.9"}],"ports":[{"name":"x","port":8443}]}])");
  EXPECT_EQ(ask("hook", 443, true), "{}");
  EXPECT_EQ(client_.asked->host, "10.1.0.9");
  EXPECT_EQ(client_.asked->port, 8443);
  EXPECT_EQ(client_.asked->tls->server_name, "hook.ns.svc");
}

TEST_F(WebhookTransportTest, SaysWhatAnswersMean) {
  const auto answer = [&](int status, std::string body, std::string type = "application/json") {
    exchange::OutboundAnswer made{.status = status, .headers = {}, .body = std::move(body)};
    made.headers.Add("content-type", std::move(type));
    client_.result = std::move(made);
    return Post({.url = "https://h", .service = {}, .authorities_pem = {}});
  };
  EXPECT_EQ(answer(204, ""), "");
  EXPECT_EQ(answer(302, ""), "the server responded with the status code 302 but did not return more information");
  EXPECT_EQ(answer(404, "x"), "the server could not find the requested resource");
  EXPECT_EQ(answer(500, "it broke"), R"(an error on the server ("unknown") has prevented the request from succeeding)");
  EXPECT_EQ(answer(500, " it broke\n", "text/plain; charset=utf-8"),
            R"(an error on the server ("it broke") has prevented the request from succeeding)");
  EXPECT_EQ(answer(403, "go away", "text/plain"), "go away");
  EXPECT_EQ(answer(418, R"({"kind":"Status","status":"Failure","message":"teapot"})"), "teapot");
  client_.result = std::unexpected(exchange::OutboundFailure{.message = "EOF"});
  EXPECT_EQ(Post({.url = "https://h", .service = {}, .authorities_pem = {}}), R"(Post "https://h/?timeout=10s": EOF)");
  client_.result = std::unexpected(exchange::OutboundFailure{.message = "unexpected EOF", .in_body = true});
  EXPECT_EQ(Post({.url = "https://h", .service = {}, .authorities_pem = {}}),
            "unexpected error when reading response body. Please retry. Original error: unexpected EOF");
}

TEST_F(WebhookTransportTest, ShowsWhoTheServerIs) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / Cat("webhooks-", getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "token") << "from-file\n";
  std::ofstream(folder / "config") << "users:\n"
                                      "- {name: hook.example, user: {token: plain}}\n"
                                      "- {name: '*.ns.svc:443', user: {tokenFile: token}}\n"
                                      "- {name: 'h:8443', user: {username: u, password: p}}\n"
                                      "- {name: other, user: {token: current}}\n"
                                      "contexts: [{name: c, context: {user: other}}]\n"
                                      "current-context: c\n";
  const auto credentials = WebhookCredentials::Load((folder / "config").string());
  ASSERT_TRUE(credentials) << credentials.error().message;
  const auto shown = [&](const std::string& url) {
    Post({.url = url, .service = {}, .authorities_pem = {}}, seconds(10), false, *credentials);
    return std::string(client_.asked->headers.Get("authorization"));
  };
  EXPECT_EQ(shown("https://hook.example"), "Bearer plain");
  EXPECT_EQ(shown("https://a.ns.svc"), "Bearer from-file");
  EXPECT_EQ(shown("https://h:8443"), "Basic dTpw");
  EXPECT_EQ(shown("https://hook.example:8443"), "Bearer current");
  std::ofstream(folder / "plugin") << "users: [{name: a, user: {exec: {command: x}}}]\n";
  const auto plugin = WebhookCredentials::Load((folder / "plugin").string());
  ASSERT_FALSE(plugin);
  EXPECT_THAT(plugin.error().message, testing::HasSubstr("exec is not supported"));
  EXPECT_FALSE(WebhookCredentials::Load((folder / "gone").string()));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace server
