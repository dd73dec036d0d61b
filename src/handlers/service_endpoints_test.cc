// Health, version, index, metrics and OpenID over a set of endpoints, as requests see them.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/text.h"
#include "handlers/endpoints/health.h"
#include "handlers/endpoints/index.h"
#include "handlers/endpoints/openid.h"
#include "handlers/endpoints/version.h"
#include "value/json_reader.h"

namespace handlers {
namespace {

class NowhereExecutor final : public base::Executor {
 public:
  void Post(base::Work) override {}
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }
};

struct Answer {
  int status = 0;
  std::string body;
  exchange::Headers headers;
};

// The answer of the endpoint at the target's path; status 0 if there is none.
Answer Send(const Endpoints& endpoints, std::string_view target, std::string method = "GET", std::string accept = "") {
  NowhereExecutor executor;
  exchange::Request request;
  request.method = std::move(method);
  const size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.raw_query = target.substr(question + 1);
  if (!accept.empty()) request.headers.Add("accept", accept);
  exchange::Exchange exchange(std::move(request), executor);
  exchange.context().info.path = exchange.request().path;
  exchange.context().query = api::Query::Parse(exchange.request().raw_query);
  Answer answer;
  exchange::Handler* handler = endpoints.Find(exchange.request().path);
  if (handler == nullptr) return answer;
  base::Spawn(handler->Handle(exchange), [&](std::optional<exchange::Response> response, std::exception_ptr) {
    answer.status = response->status;
    for (const base::Slice& slice : std::get<0>(response->body)) answer.body += slice.data;
    answer.headers = std::move(response->headers);
  });
  return answer;
}

TEST(Health, AnswersProbesAndSingleChecks) {
  std::string broken;
  bool stopping = false;
  const Health health =
      Health::Standard({.store = [&] { return broken; },
                        .running = [&] { return std::string(stopping ? "process is shutting down" : ""); }});
  Endpoints endpoints;
  health.Install(endpoints);
  for (const char* path : {"/healthz", "/livez", "/readyz", "/readyz?exclude=ping", "/livez/ping",
                           "/livez/poststarthook/rbac/bootstrap-roles", "/readyz/shutdown", "/readyz/etcd-readiness",
                           "/healthz/etcd?verbose"}) {
    const Answer answer = Send(endpoints, path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.body, "ok") << path;
    EXPECT_EQ(answer.headers.Get("content-type"), "text/plain; charset=utf-8");
  }
  for (const char* path :
       {"/livez/shutdown", "/livez/etcd-readiness", "/healthz/nosuch", "/livez/poststarthook", "/livez/"}) {
    EXPECT_EQ(Send(endpoints, path).status, 0) << path;
  }
  const std::string verbose = Send(endpoints, "/readyz?verbose&exclude=log&exclude=none").body;
  EXPECT_TRUE(
      verbose.starts_with("[+]ping ok\n[+]log excluded: ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n"
                          "[+]poststarthook/start-apiserver-admission-initializer ok\n"));
  EXPECT_TRUE(
      verbose.ends_with("[+]shutdown ok\nwarn: some health checks cannot be excluded: no matches for \"none\"\n"
                        "readyz check passed\n"));

  broken = "disk is full";
  const Answer failed = Send(endpoints, "/livez");
  EXPECT_EQ(failed.status, 500);
  EXPECT_TRUE(failed.body.starts_with("[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\n"));
  EXPECT_TRUE(failed.body.ends_with("livez check failed\n"));
  EXPECT_EQ(Send(endpoints, "/livez?exclude=etcd").status, 200);
  EXPECT_EQ(Send(endpoints, "/livez/etcd").body, "internal server error: disk is full\n");
  EXPECT_NE(health.Indicators().find("kubernetes_healthcheck{name=\"etcd\",type=\"livez\"} 0\n"), std::string::npos);

  broken.clear();
  stopping = true;
  EXPECT_EQ(Send(endpoints, "/readyz").status, 500);
  EXPECT_EQ(Send(endpoints, "/livez").status, 200);
}

TEST(Health, ListsWhatWatchesOverRunningRequests) {
  for (bool fairness : {true, false}) {
    const Health health = Health::Standard({.fairness = fairness});
    Endpoints endpoints;
    health.Install(endpoints);
    const std::string verbose = Send(endpoints, "/livez?verbose").body;
    const std::string between = fairness ? "[+]poststarthook/priority-and-fairness-config-consumer ok\n"
                                           "[+]poststarthook/priority-and-fairness-filter ok\n"
                                         : "[+]poststarthook/max-in-flight-filter ok\n";
    EXPECT_NE(verbose.find("[+]poststarthook/generic-apiserver-start-informers ok\n" + between +
                           "[+]poststarthook/storage-object-count-tracker-hook ok\n"),
              std::string::npos)
        << verbose;
    EXPECT_NE(verbose.find("[+]poststarthook/priority-and-fairness-config-producer ok\n"), std::string::npos);
    EXPECT_EQ(Send(endpoints, "/livez/poststarthook/max-in-flight-filter").status, fairness ? 0 : 200);
  }
}

TEST(Health, EachCheckAsksWhatDoesThatWork) {
  using Questions = Health::Questions;
  struct {
    Health::Question Questions::* question;
    std::string_view failing, well;
  } cases[] = {
      {&Questions::objects, "poststarthook/rbac/bootstrap-roles", "poststarthook/bootstrap-controller"},
      {&Questions::place, "poststarthook/bootstrap-controller", "poststarthook/rbac/bootstrap-roles"},
      {&Questions::policies, "informer-sync", "poststarthook/priority-and-fairness-filter"},
      {&Questions::policies, "poststarthook/apiservice-registration-controller", "autoregister-completion"},
      {&Questions::admission, "poststarthook/start-apiserver-admission-initializer", "informer-sync"},
      {&Questions::serving, "poststarthook/apiservice-openapi-controller", "informer-sync"},
  };
  for (const auto& c : cases) {
    Questions questions;
    questions.*c.question = [] { return std::string("not yet"); };
    const Health health = Health::Standard(questions);
    Endpoints endpoints;
    health.Install(endpoints);
    EXPECT_EQ(Send(endpoints, base::Cat("/readyz/", c.failing)).status, 500) << c.failing;
    EXPECT_EQ(Send(endpoints, base::Cat("/readyz/", c.well)).status, 200) << c.failing;
    EXPECT_EQ(Send(endpoints, "/readyz").status, 500) << c.failing;
  }
}

TEST(Health, WhatIsTurnedOffIsNotNamed) {
  const Health health = Health::Standard({.identity = false, .api_service_status = false});
  Endpoints endpoints;
  health.Install(endpoints);
  const std::string verbose = Send(endpoints, "/readyz?verbose").body;
  EXPECT_EQ(verbose.find("identity-lease"), std::string::npos);
  EXPECT_EQ(verbose.find("apiservice-status"), std::string::npos);
  EXPECT_NE(verbose.find("apiservice-registration-controller"), std::string::npos);
}

TEST(Health, LivenessHasAGraceForTheStartAlone) {
  bool grace = true;
  std::string disk;
  const Health health = Health::Standard({.store = [&] { return disk; },
                                          .place = [] { return std::string("not finished"); },
                                          .in_grace = [&] { return grace; }});
  Endpoints endpoints;
  health.Install(endpoints);
  EXPECT_EQ(Send(endpoints, "/livez").status, 200);
  EXPECT_EQ(Send(endpoints, "/livez/poststarthook/bootstrap-controller").status, 200);
  EXPECT_EQ(Send(endpoints, "/healthz").status, 500);
  EXPECT_EQ(Send(endpoints, "/readyz").status, 500);
  disk = "disk is full";
  EXPECT_EQ(Send(endpoints, "/livez").status, 500);
  disk.clear();
  grace = false;
  EXPECT_EQ(Send(endpoints, "/livez").status, 500);
}

TEST(Version, AnswersOnePathOneMethodOneType) {
  Endpoints endpoints;
  InstallVersion(ServedVersion(), endpoints);
  struct {
    const char *target, *method, *accept;
    int status;
    std::string_view message;
  } cases[] = {
      {"/version", "GET", "", 200, ""},
      {"/version/", "GET", "*/*", 200, ""},
      {"/version", "GET", "text/html, application/json;q=0.1", 200, ""},
      {"/version/x", "GET", "", 404, "the server could not find the requested resource"},
      {"/version", "POST", "", 405, "the server does not allow this method on the requested resource"},
      {"/version", "HEAD", "", 405, "the server does not allow this method on the requested resource"},
      {"/version", "GET", "application/vnd.kubernetes.protobuf,text/html", 406,
       "406: Not Acceptable\n\nAvailable representations: application/json"},
  };
  for (const auto& c : cases) {
    const Answer answer = Send(endpoints, c.target, c.method, c.accept);
    EXPECT_EQ(answer.status, c.status) << c.target << c.method << c.accept;
    if (c.status == 200) {
      EXPECT_TRUE(answer.body.starts_with("{\n  \"major\": \"1\",\n  \"minor\": \"32\",\n"));
      EXPECT_TRUE(answer.body.ends_with("\"\n}"));
      continue;
    }
    value::Arena arena;
    const auto status = value::ReadJson(answer.body, arena);
    if (!status) continue;  // protobuf
    EXPECT_EQ(status->GetString("message"), c.message);
    EXPECT_TRUE(status->Get("details").is_object());
  }
}

TEST(Index, ListsEveryOtherPath) {
  Endpoints endpoints;
  base::Metrics metrics;
  Health health;
  metrics.Counters("x_total", "X.").With({}).Add(3);
  InstallMetrics(metrics, health, std::chrono::system_clock::time_point(std::chrono::milliseconds(1700000000900)),
                 endpoints);
  InstallIndex([] { return std::vector<std::string>{"/api", "/zzz", "/api"}; }, endpoints);
  EXPECT_EQ(Send(endpoints, "/", "POST").body,
            "{\n  \"paths\": [\n    \"/api\",\n    \"/metrics\",\n    \"/metrics/slis\",\n    \"/zzz\"\n  ]\n}");
  EXPECT_EQ(Send(endpoints, "/index.html").status, 200);
  EXPECT_NE(Send(endpoints, "/metrics").body.find("\nx_total 3\n"), std::string::npos);
  EXPECT_EQ(Send(endpoints, "/metrics").headers.Get("process-start-time-unix"), "1700000000");
  for (const std::string path : {"/metrics", "/metrics/slis"}) {
    const Answer reset = Send(endpoints, path, "DELETE");
    EXPECT_EQ(reset.body, "metrics reset\n") << path;
    EXPECT_EQ(reset.headers.Get("content-type"), "text/plain; charset=utf-8") << path;
  }
}

std::string PublicPem(EVP_PKEY* key) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PUBKEY(bio, key);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<size_t>(size));
  BIO_free(bio);
  EVP_PKEY_free(key);
  return pem;
}

TEST(OpenId, PublishesTheKeys) {
  const std::string rsa = PublicPem(EVP_RSA_gen(2048)), ec = PublicPem(EVP_EC_gen("P-256"));
  Endpoints endpoints;
  InstallOpenId({"https://issuer", "https://127.0.0.1:6443/openid/v1/jwks", {rsa, ec + rsa}}, endpoints);
  const Answer configuration = Send(endpoints, "/.well-known/openid-configuration");
  EXPECT_EQ(configuration.body, R"({"issuer":"https://issuer","jwks_uri":"https://127.0.0.1:6443/openid/v1/jwks",)"
                                R"("response_types_supported":["id_token"],"subject_types_supported":["public"],)"
                                R"("id_token_signing_alg_values_supported":["ES256","RS256"]})");
  EXPECT_EQ(configuration.headers.Get("cache-control"), "public, max-age=3600");
  EXPECT_EQ(Send(endpoints, "/openid/v1/jwks", "GET", "application/json").status, 406);
  const Answer keys = Send(endpoints, "/openid/v1/jwks/", "GET", "application/jwk-set+json");
  EXPECT_EQ(keys.headers.Get("content-type"), "application/jwk-set+json");
  value::Arena arena;
  const value::Value list = value::ReadJson(keys.body, arena).value().Get("keys");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].GetString("e"), "AQAB");
  EXPECT_EQ(list[0].GetString("n").size(), 342u);
  EXPECT_EQ(list[0].GetString("kid").size(), 43u);
  EXPECT_EQ(list[1].GetString("crv"), "P-256");
  EXPECT_EQ(list[1].GetString("x").size(), 43u);
}

}  // namespace
}  // namespace handlers
