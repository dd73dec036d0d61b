// What a request pays for passing the whole chain: facts, token, flow schemas, roles, shared headers.
#include <benchmark/benchmark.h>

#include "auth/bearer.h"
#include "auth/rbac.h"
#include "auth/token_file.h"
#include "pipeline/chain.h"
#include "pipeline/request_metrics.h"
#include "value/json_reader.h"

namespace pipeline {
namespace {

class NowhereExecutor final : public base::Executor {
 public:
  void Post(base::Work) override {}
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }
};

class Nothing final : public exchange::Handler {
 public:
  base::Task<exchange::Response> Handle(exchange::Exchange&) override { co_return exchange::Response{}; }
};

struct World {
  World() {
    value::Arena arena;
    auth::RbacObjects objects;
    objects.Set(auth::RbacObjects::Kind::kClusterRole, value::ReadJson(R"({"metadata":{"name":"reader"},"rules":[
                  {"verbs":["get","list","watch"],"apiGroups":[""],"resources":["configmaps","secrets"]}]})",
                                                                       arena)
                                                           .value());
    objects.Set(auth::RbacObjects::Kind::kClusterRoleBinding,
                value::ReadJson(R"({"metadata":{"name":"reader"},"roleRef":{"kind":"ClusterRole","name":"reader"},
                  "subjects":[{"kind":"Group","name":"dev"}]})",
                                arena)
                    .value());
    std::vector<std::unique_ptr<auth::Authorizer>> authorizers;
    authorizers.push_back(std::make_unique<auth::PrivilegedGroup>("system:masters"));
    authorizers.push_back(std::make_unique<auth::Rbac>(objects.Build()));
    authorizer = std::make_unique<auth::AuthorizerChain>(std::move(authorizers));
    std::vector<std::shared_ptr<const auth::TokenAuthenticator>> tokens;
    tokens.push_back(
        auth::TokenFile::Parse("admin-token,admin,u,\"system:masters\"\nalice-token,alice,u,dev\n", "tokens").value());
    std::vector<std::unique_ptr<auth::Authenticator>> authenticators;
    authenticators.push_back(std::make_unique<auth::BearerTokens>(std::move(tokens)));
    chain = std::make_unique<Chain>(
        Parts{.clock = base::SystemClock(),
              .random = base::SystemRandom(),
              .write_error = [](exchange::Exchange&, const api::Error&) { return exchange::Response{}; },
              .observer = [this](exchange::Exchange& exchange, exchange::Response& response, auto took,
                                 std::string_view) { observed.Observe(exchange, response, took); },
              .authenticators = std::move(authenticators),
              .authorizer = *authorizer},
        innermost);
  }
  base::Metrics metrics;
  RequestMetrics observed{metrics, [](const api::RequestInfo&) { return true; }};
  Nothing innermost;
  std::unique_ptr<auth::Authorizer> authorizer;
  std::unique_ptr<Chain> chain;
};

void PassTheChain(benchmark::State& state, std::string_view token) {
  World world;
  NowhereExecutor executor;
  exchange::Request request;
  request.method = "GET";
  request.path = "/api/v1/namespaces/default/configmaps/some-name";
  request.headers.Add("authorization", "Bearer " + std::string(token));
  request.headers.Add("accept", "application/json");
  for (auto _ : state) {
    exchange::Exchange exchange(request, executor);
    base::Spawn(world.chain->Handle(exchange), [](std::optional<exchange::Response> response, std::exception_ptr) {
      benchmark::DoNotOptimize(response);
    });
  }
}
BENCHMARK_CAPTURE(PassTheChain, master, "admin-token");
BENCHMARK_CAPTURE(PassTheChain, by_role, "alice-token");

void KnownToken(benchmark::State& state) {
  const auto file = auth::TokenFile::Parse("admin-token,admin,u\nalice-token,alice,u\n", "tokens").value();
  for (auto _ : state) benchmark::DoNotOptimize(file->AuthenticateToken("alice-token"));
}
BENCHMARK(KnownToken);

}  // namespace
}  // namespace pipeline
