// The whole chain over a handler that tells what it saw: who gets in, as whom, with which headers, and how refusals
// look.
#include "pipeline/chain.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "api/status.h"
#include "auth/bearer.h"
#include "auth/rbac.h"
#include "auth/token_file.h"
#include "base/text.h"
#include "value/json_reader.h"

namespace pipeline {
namespace {

using exchange::Exchange;
using exchange::Response;

class NowhereExecutor final : public base::Executor {
 public:
  void Post(base::Work) override {}
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }
};

class TestClock final : public base::Clock {
 public:
  std::chrono::system_clock::time_point Now() const override { return {}; }
  std::chrono::steady_clock::time_point Monotonic() const override { return now; }
  std::chrono::steady_clock::time_point now{};
};

// Answers with the user and the facts it was given.
class Echo final : public exchange::Handler {
 public:
  base::Task<Response> Handle(Exchange& exchange) override {
    const api::RequestContext& context = exchange.context();
    if (context.info.path == "/throw") throw std::runtime_error("broken");
    clock.now += takes;
    Response response;
    response.status = status;
    response.is_taken_over = takes_over;
    std::string text = base::Cat(context.user.name, "|", base::Join(context.user.groups, ","), "|", context.info.verb);
    for (const auto& [key, values] : context.user.extra) base::Append(text, "|", key, "=", base::Join(values, ","));
    response.body = std::vector<base::Slice>{base::Slice::Own(std::move(text))};
    co_return response;
  }
  explicit Echo(TestClock& test_clock) : clock(test_clock) {}
  TestClock& clock;
  std::chrono::seconds takes{0};
  int status = 200;
  bool takes_over = false;
};

Response WriteJsonError(Exchange&, const api::Error& error) {
  Response response;
  response.status = error.code;
  response.headers.Add("content-type", "application/json");
  response.body = std::vector<base::Slice>{base::Slice::Own(api::StatusJson(error))};
  return response;
}

constexpr std::string_view kTokens =
    "admin-token,admin,admin-uid,\"system:masters\"\nalice-token,alice,alice-uid,\"dev,ops\"\nbob-token,bob,bob-uid\n";

constexpr std::string_view kRole = R"({"metadata":{"name":"public"},"rules":[
  {"verbs":["get"],"nonResourceURLs":["/livez","/version*"]}]})";
constexpr std::string_view kBinding = R"({"metadata":{"name":"public"},
  "roleRef":{"kind":"ClusterRole","name":"public"},
  "subjects":[{"kind":"Group","name":"system:unauthenticated"},{"kind":"Group","name":"system:authenticated"}]})";
constexpr std::string_view kDevRole = R"({"metadata":{"name":"dev","namespace":"ns"},"rules":[
  {"verbs":["get","list"],"apiGroups":[""],"resources":["pods","*/log"]},
  {"verbs":["*"],"apiGroups":["apps"],"resources":["*"],"resourceNames":["mine"]}]})";
constexpr std::string_view kDevBinding = R"({"metadata":{"name":"dev","namespace":"ns"},
  "roleRef":{"kind":"Role","name":"dev"},"subjects":[{"kind":"Group","name":"dev"},
  {"kind":"ServiceAccount","name":"robot"}]})";
constexpr std::string_view kBrokenBinding = R"({"metadata":{"name":"broken","namespace":"ns"},
  "roleRef":{"kind":"Role","name":"nothing"},"subjects":[{"kind":"User","name":"bob"}]})";
constexpr std::string_view kBossRole = R"({"metadata":{"name":"boss"},"rules":[
  {"verbs":["impersonate"],"apiGroups":["","authentication.k8s.io"],"resources":["users","userextras/color"]}]})";
constexpr std::string_view kBossBinding = R"({"metadata":{"name":"boss"},
  "roleRef":{"kind":"ClusterRole","name":"boss"},"subjects":[{"kind":"User","name":"alice"}]})";

class ChainTest : public testing::Test {
 protected:
  ChainTest() {
    auth::RbacObjects policy;
    policy.Set(auth::RbacObjects::Kind::kClusterRole, Tree(kRole));
    policy.Set(auth::RbacObjects::Kind::kClusterRole, Tree(kBossRole));
    policy.Set(auth::RbacObjects::Kind::kRole, Tree(kDevRole));
    policy.Set(auth::RbacObjects::Kind::kClusterRoleBinding, Tree(kBinding));
    policy.Set(auth::RbacObjects::Kind::kClusterRoleBinding, Tree(kBossBinding));
    policy.Set(auth::RbacObjects::Kind::kRoleBinding, Tree(kDevBinding));
    policy.Set(auth::RbacObjects::Kind::kRoleBinding, Tree(kBrokenBinding));
    std::vector<std::unique_ptr<auth::Authorizer>> authorizers;
    authorizers.push_back(std::make_unique<auth::PrivilegedGroup>("system:masters"));
    authorizers.push_back(std::make_unique<auth::Rbac>(policy.Build()));
    authorizer_ = std::make_unique<auth::AuthorizerChain>(std::move(authorizers));

    std::vector<std::shared_ptr<const auth::TokenAuthenticator>> tokens;
    tokens.push_back(auth::TokenFile::Parse(kTokens, "tokens.csv").value());
    std::vector<std::unique_ptr<auth::Authenticator>> authenticators;
    authenticators.push_back(std::make_unique<auth::BearerTokens>(std::move(tokens)));
    chain_ = std::make_unique<Chain>(
        Parts{.clock = clock_,
              .random = base::SystemRandom(),
              .write_error = WriteJsonError,
              .observer = [this](Exchange&, const Response& response, auto,
                                 std::string_view failure) { observed_ = base::Cat(response.status, " ", failure); },
              .authenticators = std::move(authenticators),
              .authorizer = *authorizer_,
              .flow_control = {.limits = {.reading = 1, .mutating = 1}}},
        echo_);
  }

  value::Value Tree(std::string_view json) { return value::ReadJson(json, arena_).value(); }

  struct Answer {
    int status = 0;
    std::string body;
    exchange::Headers headers;
  };
  using Fields = std::vector<std::pair<std::string, std::string>>;

  Answer Send(std::string method, std::string_view target, std::string_view token, Fields fields = {}) {
    exchange::Request request;
    request.method = std::move(method);
    request.http_major = http_major_;
    const size_t question = target.find('?');
    request.path = target.substr(0, question);
    if (question != std::string_view::npos) request.raw_query = target.substr(question + 1);
    if (!token.empty()) request.headers.Add("authorization", base::Cat("Bearer ", token));
    for (auto& [name, value] : fields) request.headers.Add(name, value);
    Exchange exchange(std::move(request), executor_);
    Answer answer;
    base::Spawn(chain_->Handle(exchange), [&](std::optional<Response> response, std::exception_ptr) {
      ASSERT_TRUE(response.has_value());
      answer.status = response->status;
      for (const base::Slice& slice : std::get<0>(response->body)) answer.body += slice.data;
      answer.headers = std::move(response->headers);
    });
    return answer;
  }

  // Whether the head may have a body: 100, or what is answered instead. `user` is set.
  Answer Judge(std::string_view token, std::string& user) {
    exchange::Request request;
    request.method = "PUT";
    request.path = "/apis/apps/v1/namespaces/ns/deployments/mine";
    if (!token.empty()) request.headers.Add("authorization", base::Cat("Bearer ", token));
    Exchange exchange(std::move(request), executor_);
    exchange.JudgeHeadOnly();
    exchange::Admission admission = chain_->Admit(exchange);
    user = admission.user;
    Answer answer{.status = 100};
    if (!admission.refusal) return answer;
    answer.status = admission.refusal->status;
    for (const base::Slice& slice : std::get<0>(admission.refusal->body)) answer.body += slice.data;
    answer.headers = std::move(admission.refusal->headers);
    return answer;
  }

  value::Arena arena_;
  TestClock clock_;
  NowhereExecutor executor_;
  Echo echo_{clock_};
  std::unique_ptr<auth::Authorizer> authorizer_;
  std::unique_ptr<Chain> chain_;
  std::string observed_;
  int http_major_ = 1;
};

TEST_F(ChainTest, FindsOutWhoAsks) {
  struct {
    std::string_view authorization;
    int status;
    std::string_view body;
  } cases[] = {
      {"Bearer admin-token", 200, "admin|system:masters,system:authenticated|get"},
      {"bearer alice-token", 200, "alice|dev,ops,system:authenticated|get"},
      {"Bearer bob-token and more", 200, "bob|system:authenticated|get"},
      {"", 200, "system:anonymous|system:unauthenticated|get"},
      {"Bearer ", 200, "system:anonymous|system:unauthenticated|get"},
      {"Bearer  admin-token", 200, "system:anonymous|system:unauthenticated|get"},
      {"Beareradmin-token", 200, "system:anonymous|system:unauthenticated|get"},
      {"Basic YTpi", 200, "system:anonymous|system:unauthenticated|get"},
      {"Bearer unknown", 401,
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401})"},
  };
  for (const auto& c : cases) {
    const Answer answer = Send("GET", "/livez", "", {{"authorization", std::string(c.authorization)}});
    EXPECT_EQ(answer.status, c.status) << c.authorization;
    EXPECT_EQ(answer.body, c.body) << c.authorization;
  }
  const Answer spaced = Send("GET", "/livez", "", {{"authorization", "Bearer  admin-token"}});
  EXPECT_EQ(spaced.headers.Get("warning"),
            "299 - \"the provided Authorization header contains extra space before the bearer token, and is ignored\"");
}

TEST_F(ChainTest, JudgesAHeadAsItWillJudgeTheRequest) {
  constexpr std::string_view kTarget = "/apis/apps/v1/namespaces/ns/deployments/mine";
  std::string user;
  EXPECT_EQ(Judge("alice-token", user).status, 100);
  EXPECT_EQ(user, "alice");
  EXPECT_EQ(observed_, "");  // it was no answer
  for (const std::string_view token : {"", "bob-token", "nobodys-token"}) {
    const Answer judged = Judge(token, user);
    EXPECT_TRUE(observed_.starts_with(base::Cat(judged.status))) << token;
    const Answer answered = Send("PUT", kTarget, token);
    EXPECT_EQ(judged.status, answered.status) << token;
    EXPECT_GE(judged.status, 401) << token;
    EXPECT_EQ(judged.body, answered.body) << token;
    EXPECT_EQ(judged.headers.fields().size(), answered.headers.fields().size()) << token;
  }
  // Judging leaves nothing counted: one request at a time may write here.
  EXPECT_EQ(Send("PUT", kTarget, "alice-token").status, 200);
}

TEST_F(ChainTest, NobodyUnknownKeepsAnHttp2Connection) {
  http_major_ = 2;
  EXPECT_EQ(Send("GET", "/livez", "").headers.Get("connection"), "close");
  EXPECT_EQ(Send("GET", "/livez", "unknown").headers.Get("connection"), "close");
  EXPECT_EQ(Send("GET", "/livez", "bob-token").headers.Get("connection"), "");
  http_major_ = 1;
  EXPECT_EQ(Send("GET", "/livez", "").headers.Get("connection"), "");
}

TEST_F(ChainTest, TakesATokenFromAWebSocketHandshake) {
  const auto send = [this](std::string protocols) {
    return Send(
        "GET", "/livez", "",
        {{"upgrade", "websocket"}, {"connection", "keep-alive, Upgrade"}, {"sec-websocket-protocol", protocols}});
  };
  const std::string token = "base64url.bearer.authorization.k8s.io.Ym9iLXRva2Vu";
  EXPECT_EQ(send(token + ", v4.channel.k8s.io").body, "bob|system:authenticated|get");
  EXPECT_EQ(send(token).status, 401);
  EXPECT_EQ(send("base64url.bearer.authorization.k8s.io.*, x").status, 401);
  EXPECT_EQ(send("v4.channel.k8s.io").body, "system:anonymous|system:unauthenticated|get");
}

TEST_F(ChainTest, RefusesWhatNoRoleAllows) {
  struct {
    std::string_view method, path, token, message;  // no message: allowed
  } cases[] = {
      {"GET", "/version/", "", ""},
      {"GET", "/metrics", "bob-token", R"(forbidden: User "bob" cannot get path "/metrics")"},
      {"DELETE", "/livez", "", R"(forbidden: User "system:anonymous" cannot delete path "/livez")"},
      {"GET", "/api/v1/namespaces/ns/pods", "alice-token", ""},
      {"GET", "/api/v1/namespaces/ns/pods/p/log", "alice-token", ""},
      {"GET", "/api/v1/namespaces/ns/pods/p/status", "alice-token",
       R"(pods "p" is forbidden: User "alice" cannot get resource "pods/status" in API group "" in the namespace "ns")"},
      {"GET", "/api/v1/namespaces/other/pods", "alice-token",
       R"(pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "other")"},
      {"DELETE", "/apis/apps/v1/namespaces/ns/deployments/mine", "alice-token", ""},
      {"DELETE", "/apis/apps/v1/namespaces/ns/deployments/yours", "alice-token",
       R"(deployments.apps "yours" is forbidden: User "alice" cannot delete resource "deployments" in API group "apps" in the namespace "ns")"},
      {"OPTIONS", "/api/v1/pods", "bob-token",
       R"(pods is forbidden: User "bob" cannot  resource "pods" in API group "" at the cluster scope)"},
      {"GET", "/api/v1/namespaces/ns/pods/x%3Cy", "bob-token",
       R"(pods "x<y" is forbidden: User "bob" cannot get resource "pods" in API group "" in the namespace "ns": RBAC: role.rbac.authorization.k8s.io "nothing" not found)"},
      {"POST", "/anything", "admin-token", ""},
  };
  for (const auto& c : cases) {
    const Answer answer = Send(std::string(c.method), c.path, c.token);
    EXPECT_EQ(answer.status, c.message.empty() ? 200 : 403) << c.path;
    if (c.message.empty()) continue;
    EXPECT_EQ(Tree(answer.body).GetString("message"), c.message);
    EXPECT_EQ(answer.headers.Get("x-content-type-options"), "nosniff");
  }
}

TEST_F(ChainTest, ClientTextInARefusalIsNoHtml) {
  const Answer answer = Send("GET", "/a<b>&c", "bob-token");
  EXPECT_EQ(Tree(answer.body).GetString("message"), R"(forbidden: User "bob" cannot get path "/a&lt;b&gt;&amp;c")");
}

TEST_F(ChainTest, Impersonates) {
  EXPECT_EQ(Send("GET", "/livez", "admin-token", {{"impersonate-user", "ann"}}).body, "ann|system:authenticated|get");
  EXPECT_EQ(Send("GET", "/livez", "admin-token", {{"impersonate-user", "system:serviceaccount:ns:robot"}}).body,
            "system:serviceaccount:ns:robot|system:serviceaccounts,system:serviceaccounts:ns,system:authenticated|get");
  EXPECT_EQ(Send("GET", "/livez", "admin-token", {{"impersonate-user", "system:anonymous"}}).body,
            "system:anonymous|system:unauthenticated|get");
  EXPECT_EQ(Send("GET", "/livez", "admin-token",
                 {{"impersonate-user", "ann"}, {"impersonate-group", "g"}, {"impersonate-extra-a%2fb", "c"}})
                .body,
            "ann|g,system:authenticated|get|a/b=c");
  EXPECT_EQ(
      Send("GET", "/api/v1/namespaces/ns/pods", "admin-token", {{"impersonate-user", "system:serviceaccount:ns:robot"}})
          .status,
      200);
  EXPECT_EQ(
      Send("GET", "/livez", "alice-token", {{"impersonate-user", "ann"}, {"impersonate-extra-color", "red"}}).body,
      "ann|system:authenticated|get|color=red");
}

TEST_F(ChainTest, ImpersonationNeedsARightForEachThing) {
  const Answer group = Send("GET", "/livez", "alice-token", {{"impersonate-user", "ann"}, {"impersonate-group", "g"}});
  EXPECT_EQ(group.status, 403);
  EXPECT_EQ(
      Tree(group.body).GetString("message"),
      R"(groups "g" is forbidden: User "alice" cannot impersonate resource "groups" in API group "" at the cluster scope)");
  const Answer account = Send("GET", "/livez", "alice-token", {{"impersonate-user", "system:serviceaccount:ns:sa"}});
  EXPECT_EQ(
      Tree(account.body).GetString("message"),
      R"(serviceaccounts "sa" is forbidden: User "alice" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns")");
  const Answer nobody = Send("GET", "/livez?a=b", "admin-token", {{"impersonate-group", "g"}});
  EXPECT_EQ(nobody.status, 500);
  EXPECT_EQ(nobody.body,
            "Internal Server Error: \"/livez?a=b\": requested [{Group  g    }] without impersonating a user\n");
}

TEST_F(ChainTest, EveryAnswerCarriesTheSharedHeaders) {
  const Answer given = Send("GET", "/livez", "", {{"audit-id", "mine"}});
  EXPECT_EQ(given.headers.Get("audit-id"), "mine");
  EXPECT_EQ(given.headers.Get("cache-control"), "no-cache, private");
  EXPECT_EQ(Send("GET", "/livez", "unknown").headers.Get("audit-id").size(), 36u);
  echo_.takes_over = true;
  const Answer taken_over = Send("GET", "/livez", "");
  EXPECT_FALSE(taken_over.headers.Has("audit-id"));
  EXPECT_FALSE(taken_over.headers.Has("cache-control"));
}

TEST_F(ChainTest, AnExceptionIsAnAnswer) {
  const Answer answer = Send("GET", "/throw", "admin-token");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "This request caused apiserver to panic. Look in the logs for details.\n");
  EXPECT_EQ(observed_, "500 broken");
  EXPECT_EQ(Send("GET", "/livez", "").status, 200);
}

TEST_F(ChainTest, PathsWithoutFacts) {
  const Answer answer = Send("GET", "/api/v1/watch", "admin-token");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body,
            "Internal Server Error: \"/api/v1/watch\": failed to create RequestInfo: unable to determine kind and "
            "namespace from url, /api/v1/watch\n");
  EXPECT_EQ(Send("GET", "/a%zz", "admin-token").status, 400);
}

TEST_F(ChainTest, Timeouts) {
  struct {
    std::string_view target;
    int takes, status, answered;
  } cases[] = {
      {"/livez?timeout=1s", 2, 504, 504},  {"/livez?timeout=10s", 2, 504, 504}, {"/livez?timeout=2m", 61, 504, 504},
      {"/livez?timeout=-1s", 2, 200, 200}, {"/livez?timeout=0", 2, 200, 200},   {"/livez?timeout=10", 0, 200, 400},
  };
  for (const auto& c : cases) {
    echo_.takes = std::chrono::seconds(c.takes);
    echo_.status = c.status;
    const Answer answer = Send("GET", c.target, "admin-token");
    EXPECT_EQ(answer.status, c.answered) << c.target;
    const bool expired = c.status == 504 && c.target != "/livez?timeout=10s";
    EXPECT_EQ(answer.headers.Get("content-type") == "text/plain; charset=utf-8", expired) << c.target;
  }
  echo_.takes = std::chrono::seconds(0);
  EXPECT_EQ(Tree(Send("GET", "/livez?timeout=10", "").body).GetString("message"),
            R"(invalid timeout specified in the request URL - time: missing unit in duration "10")");
  echo_.status = 200;
  EXPECT_EQ(Send("GET", "/api/v1/pods?watch=1&timeout=x", "admin-token").status, 200);
}

TEST_F(ChainTest, DrainingTurnsNewRequestsAway) {
  chain_->drain().Begin();
  const Answer answer = Send("GET", "/api/v1/pods", "admin-token");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.Get("retry-after"), "1");
  EXPECT_EQ(Tree(answer.body).GetString("message"), "apiserver is shutting down");
  EXPECT_EQ(Send("GET", "/readyz", "admin-token").status, 200);
}

// A chain with nothing but what is tested here: everybody may do everything.
struct OpenChain {
  explicit OpenChain(Parts parts) : chain(std::move(parts), echo) {}
  exchange::Response Ask(std::string method, std::string_view target, int http_major = 1,
                         std::vector<std::pair<std::string, std::string>> fields = {}) {
    exchange::Request request;
    request.method = std::move(method);
    request.path = target.substr(0, target.find('?'));
    if (const size_t question = target.find('?'); question != target.npos) {
      request.raw_query = target.substr(question + 1);
    }
    request.http_major = http_major;
    for (auto& [name, value] : fields) request.headers.Add(name, value);
    Exchange exchange(std::move(request), executor);
    exchange::Response answer;
    base::Spawn(chain.Handle(exchange),
                [&](std::optional<Response> response, std::exception_ptr) { answer = *std::move(response); });
    return answer;
  }
  static Parts Default() {
    static TestClock clock;
    static const auth::AlwaysAllow authorizer;
    return Parts{
        .clock = clock, .random = base::SystemRandom(), .write_error = WriteJsonError, .authorizer = authorizer};
  }

  TestClock clock;
  NowhereExecutor executor;
  Echo echo{clock};
  Chain chain;
};

TEST(Cors, AnswersAllowedOrigins) {
  Parts parts = OpenChain::Default();
  parts.allowed_origins = AllowedOrigins::Parse({"^https://a\\.io(:|$)", "//b\\.io$"}).value();
  OpenChain open(std::move(parts));
  const auto ask = [&](const char* method, const char* origin) {
    return open.Ask(method, "/api/v1/pods", 1, {{"origin", origin}});
  };
  for (const char* origin : {"https://a.io", "https://a.io:8443", "http://b.io"}) {
    const Response answer = ask("GET", origin);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.Get("access-control-allow-origin"), origin);
    EXPECT_EQ(answer.headers.Get("access-control-allow-methods"), "POST, GET, OPTIONS, PUT, DELETE, PATCH");
    EXPECT_EQ(answer.headers.Get("access-control-allow-credentials"), "true");
    EXPECT_EQ(answer.headers.Get("access-control-expose-headers"), "Date");
  }
  EXPECT_EQ(ask("OPTIONS", "https://a.io").status, 204);
  EXPECT_FALSE(ask("GET", "https://a.io.evil.io").headers.Has("access-control-allow-origin"));
  EXPECT_FALSE(ask("GET", "").headers.Has("access-control-allow-origin"));
  EXPECT_EQ(ask("OPTIONS", "https://evil.io").status, 200);  // the handler's business
}

TEST(ConnectionHeaders, SayWhatWasAskedFor) {
  Parts parts = OpenChain::Default();
  parts.connection_headers = {.strict_transport_security = "max-age=1; preload", .goaway_chance = 1};
  OpenChain open(std::move(parts));
  EXPECT_EQ(open.Ask("GET", "/api", 1).headers.Get("strict-transport-security"), "max-age=1; preload");
  EXPECT_FALSE(open.Ask("GET", "/api", 1).headers.Has("connection"));
  EXPECT_EQ(open.Ask("GET", "/api", 2).headers.Get("connection"), "close");
  OpenChain silent(OpenChain::Default());
  EXPECT_FALSE(silent.Ask("GET", "/api", 2).headers.Has("strict-transport-security"));
}

TEST(Drain, SaysWhenToComeAgain) {
  Parts parts = OpenChain::Default();
  parts.drain.send_retry_after = true;
  OpenChain open(std::move(parts));
  EXPECT_EQ(open.Ask("GET", "/api").status, 200);
  open.chain.drain().Begin();
  for (const char* target : {"/api/v1/pods", "/api/v1/pods?watch=1"}) {
    const Response answer = open.Ask("GET", target);
    EXPECT_EQ(answer.status, 429) << target;
    EXPECT_EQ(answer.headers.Get("retry-after"), "5");
    EXPECT_EQ(answer.headers.Get("connection"), "close");
    EXPECT_EQ(std::get<0>(answer.body)[0].data, "The apiserver is shutting down, please try again later.\n");
  }
  EXPECT_EQ(open.Ask("GET", "/readyz").status, 200);
}

TEST(Drain, TurnsWatchesAwayWhileThoseThatRunAreEnded) {
  for (const bool refuse : {false, true}) {
    Parts parts = OpenChain::Default();
    parts.drain.refuse_watches = refuse;
    OpenChain open(std::move(parts));
    open.chain.drain().Begin();
    EXPECT_EQ(open.Ask("GET", "/api/v1/pods?watch=1").status, refuse ? 503 : 200);
    EXPECT_EQ(open.Ask("GET", "/api/v1/pods").status, 503);
  }
}

TEST_F(ChainTest, FlowSchemasNameTheRequestAndExemptIt) {
  FlowSchemas::Builder schemas;
  schemas.AddPriorityLevel(Tree(R"({"metadata":{"name":"exempt","uid":"L0"},"spec":{"type":"Exempt"}})"));
  schemas.AddPriorityLevel(Tree(R"({"metadata":{"name":"low","uid":"L1"},"spec":{"type":"Limited"}})"));
  schemas.AddFlowSchema(Tree(R"({"metadata":{"name":"all","uid":"S1"},"spec":{"matchingPrecedence":9900,
    "priorityLevelConfiguration":{"name":"low"},"rules":[{"subjects":[{"kind":"Group","group":{"name":"*"}}],
    "resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"namespaces":["*"],"clusterScope":true}],
    "nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]}})"));
  schemas.AddFlowSchema(Tree(R"({"metadata":{"name":"probes","uid":"S2"},"spec":{"matchingPrecedence":2,
    "priorityLevelConfiguration":{"name":"exempt"},"rules":[{"subjects":[{"kind":"User","user":{"name":"*"}}],
    "nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/livez"]}]}]}})"));
  schemas.AddFlowSchema(Tree(R"({"metadata":{"name":"lost","uid":"S3"},"spec":{"matchingPrecedence":1,
    "priorityLevelConfiguration":{"name":"none"},"rules":[{"subjects":[{"kind":"User","user":{"name":"*"}}],
    "nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]}})"));
  chain_->flow_control().Publish(std::move(schemas).Build());
  struct {
    std::string_view target, schema, level;
  } cases[] = {
      {"/livez", "S2", "L0"},       {"/livez/ping", "S2", "L0"},          {"/version", "S1", "L1"},
      {"/api/v1/pods", "S1", "L1"}, {"/api/v1/pods?watch=1", "S1", "L1"}, {"/api/v1/namespaces/a/pods/p/log", "", ""},
  };
  for (const auto& c : cases) {
    const Answer answer = Send("GET", c.target, "bob-token");
    EXPECT_EQ(answer.headers.Get("x-kubernetes-pf-flowschema-uid"), c.schema) << c.target;
    EXPECT_EQ(answer.headers.Get("x-kubernetes-pf-prioritylevel-uid"), c.level) << c.target;
  }
  EXPECT_FALSE(Send("GET", "/livez", "unknown").headers.Has("x-kubernetes-pf-flowschema-uid"));
  echo_.takes = std::chrono::seconds(2);
  echo_.status = 504;
  EXPECT_FALSE(Send("GET", "/livez?timeout=1s", "bob-token").headers.Has("x-kubernetes-pf-flowschema-uid"));
  EXPECT_TRUE(Send("GET", "/livez?timeout=3s", "bob-token").headers.Has("x-kubernetes-pf-flowschema-uid"));
}

// Holds every request until it is released.
class Blocking final : public exchange::Handler {
 public:
  explicit Blocking(base::Executor& executor) : executor_(executor) {}
  base::Task<Response> Handle(Exchange&) override {
    co_return co_await base::Await<Response>(executor_, [this](auto done) { waiting.push_back(std::move(done)); });
  }
  std::vector<absl::AnyInvocable<void(Response)>> waiting;

 private:
  base::Executor& executor_;
};

class InlineExecutor final : public base::Executor {
 public:
  void Post(base::Work work) override { work(); }
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }
};

TEST(FlowControl, RefusesWhatIsOneTooMany) {
  InlineExecutor executor;
  Blocking blocking(executor);
  FlowControl control({.limits = {.reading = 1, .mutating = 1}}, base::SystemClock(), blocking);
  std::vector<std::unique_ptr<Exchange>> exchanges;
  std::vector<int> statuses;
  const auto send = [&](std::string verb, std::string group) {
    auto& exchange = *exchanges.emplace_back(std::make_unique<Exchange>(exchange::Request{}, executor));
    exchange.context().info.verb = std::move(verb);
    exchange.context().user.groups = {std::move(group)};
    base::Spawn(control.Handle(exchange), [&](std::optional<Response> response, std::exception_ptr) {
      statuses.push_back(response->status);
      if (response->status == 429) EXPECT_EQ(response->headers.Get("retry-after"), "1");
    });
  };
  send("get", "dev");
  EXPECT_EQ(control.reading(), 1);
  send("list", "dev");
  EXPECT_EQ(statuses, std::vector<int>{429});
  send("create", "dev");
  send("get", "system:masters");
  send("watch", "dev");
  EXPECT_EQ(statuses, std::vector<int>{429});
  EXPECT_EQ(blocking.waiting.size(), 4u);
  for (auto& done : blocking.waiting) done(Response{});
  EXPECT_EQ(statuses.size(), 5u);
  EXPECT_EQ(control.reading(), 0);
  EXPECT_EQ(control.mutating(), 0);
}

TEST(Warnings, AreWrittenOnceAndCutWhenTheyAreLong) {
  EXPECT_EQ(WarningHeaders({"a \"b\" \\", "", "a \"b\" \\", "c", "bad\n"}),
            (std::vector<std::string>{"299 - \"a \\\"b\\\" \\\\\"", "299 - \"c\""}));
  std::vector<std::string> many;
  for (int i = 0; i < 20; ++i) many.push_back(std::string(300, static_cast<char>('a' + i)));
  const std::vector<std::string> cut = WarningHeaders(many);
  EXPECT_EQ(cut.size(), 16u);
  EXPECT_EQ(cut[0].size(), 256u + 8u);
}

}  // namespace
}  // namespace pipeline
