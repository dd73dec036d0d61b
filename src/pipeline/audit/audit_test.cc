// Policies, the stages over a handler that answers in every way, and the log with its files.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "api/audit_record.h"
#include "base/text.h"
#include "pipeline/audit/audit_stage.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace pipeline {
namespace {

namespace fs = std::filesystem;
using api::AuditLevel;

AuditPolicy PolicyOf(std::string_view rules) {
  std::vector<std::string> warnings;
  auto policy = AuditPolicy::Parse(base::Cat("{apiVersion: audit.k8s.io/v1, kind: Policy, ", rules, "}"), warnings);
  EXPECT_TRUE(policy) << policy.error().message;
  EXPECT_TRUE(warnings.empty());
  return policy ? *std::move(policy) : AuditPolicy();
}

TEST(AuditPolicy, WhatIsWrongIsTold) {
  struct Case {
    std::string_view yaml, message;
  };
  const Case cases[] = {
      {"", "failed decoding: "},
      {"kind: Policy", "failed decoding: Object 'apiVersion' is missing"},
      {"apiVersion: audit.k8s.io/v1", "failed decoding: Object 'Kind' is missing"},
      {"{apiVersion: audit.k8s.io/v1beta1, kind: Policy}",
       "failed decoding: no kind \"Policy\" is registered for version \"audit.k8s.io/v1beta1\""},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy}", "loaded illegal policy with 0 rules"},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{}]}", "rules[0].level: Required value"},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: All}]}",
       R"(rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse")"},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy, rules: {}}",
       "failed decoding: json: cannot unmarshal Policy.rules"},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: None, users: 1}]}",
       "failed decoding: json: cannot unmarshal Policy.rules[0].users"},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy, omitStages: [X], rules: [{level: None}]}",
       R"(omitStages[0]: Invalid value: "X": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic)"},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: None, nonResourceURLs: [x]}]}",
       R"(rules[0].nonResourceURLs[0]: Invalid value: "x": non-resource URL rules must begin with a '/' character)"},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: None, nonResourceURLs: [/a*b]}]}",
       R"(rules[0].nonResourceURLs[0]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule)"},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: None, resources: [{group: a/v1}]}]}",
       R"(rules[0].resources.group: Invalid value: "a/v1": a lowercase RFC 1123 subdomain)"},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: None, resources: [{resourceNames: [a]}]}]}",
       R"(rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource)"},
      {"{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: None, namespaces: [a], nonResourceURLs: [/b]}]}",
       R"(rules[0].nonResourceURLs: Invalid value: ["/b"]: rules cannot apply to both regular resources and non-resource URLs)"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> warnings;
    const auto policy = AuditPolicy::Parse(c.yaml, warnings);
    ASSERT_FALSE(policy) << c.yaml;
    EXPECT_TRUE(policy.error().message.starts_with(c.message)) << policy.error().message;
  }
  std::vector<std::string> warnings;
  EXPECT_TRUE(AuditPolicy::Parse(
      "{apiVersion: audit.k8s.io/v1, kind: Policy, more: 1, rules: [{level: None, user: a}]}", warnings));
  EXPECT_EQ(warnings.size(), 2U);
}

TEST(AuditPolicy, TheFirstRuleThatMatchesDecides) {
  const api::User alice{.name = "alice", .groups = {"dev"}};
  struct Case {
    std::string_view rule;
    bool matches;
    bool nobody = false;
  };
  api::RequestInfo log{.is_resource_request = true,
                       .verb = "get",
                       .namespace_name = "n",
                       .resource = "pods",
                       .subresource = "log",
                       .name = "p"};
  const Case cases[] = {
      {"{}", true},
      {"{users: [alice]}", true},
      {"{users: [alice]}", false, true},
      {"{users: [bob]}", false},
      {"{userGroups: [ops, dev]}", true},
      {"{userGroups: [ops]}", false},
      {"{verbs: [get]}", true},
      {"{verbs: [list]}", false},
      {"{namespaces: ['n']}", true},
      {"{namespaces: ['']}", false},
      {"{resources: [{}]}", true},
      {"{resources: [{group: apps}]}", false},
      {"{resources: [{resources: [pods]}]}", false},
      {"{resources: [{resources: [pods/log]}]}", true},
      {"{resources: [{resources: ['*']}]}", true},
      {"{resources: [{resources: ['*/log']}]}", true},
      {"{resources: [{resources: ['pods/*']}]}", true},
      {"{resources: [{resources: ['pod/*']}]}", false},
      {"{resources: [{resources: [pods/log], resourceNames: [p]}]}", true},
      {"{resources: [{resources: [pods/log], resourceNames: [q]}]}", false},
      {"{nonResourceURLs: ['*']}", false},
  };
  for (const Case& c : cases) {
    const std::string body(c.rule.substr(1));
    const AuditPolicy policy =
        PolicyOf(base::Cat("rules: [{level: Request", body.size() > 1 ? ", " : "", body, ", {level: Metadata}]"));
    EXPECT_EQ(policy.Choose(c.nobody ? nullptr : &alice, log).level == AuditLevel::kRequest, c.matches) << c.rule;
  }
  const AuditPolicy urls = PolicyOf("rules: [{level: Metadata, nonResourceURLs: ['/healthz*', /version]}]");
  for (const auto& [path, level] : {std::pair("/healthz/x", AuditLevel::kMetadata),
                                    {"/version", AuditLevel::kMetadata},
                                    {"/version/x", AuditLevel::kNone}}) {
    EXPECT_EQ(urls.Choose(&alice, {.path = path, .verb = "get"}).level, level) << path;
  }
}

TEST(AuditPolicy, StagesAndFieldsAreLeftOut) {
  const AuditPolicy policy = PolicyOf(
      "omitStages: [Panic], omitManagedFields: true, rules: [{level: Request, verbs: [get], omitStages: "
      "[RequestReceived], omitManagedFields: false}, {level: Request}]");
  const AuditPolicy::Choice get = policy.Choose(nullptr, {.verb = "get"});
  EXPECT_TRUE(get.Omits(AuditStageName::kPanic) && get.Omits(AuditStageName::kRequestReceived));
  EXPECT_FALSE(get.Omits(AuditStageName::kResponseComplete) || get.omit_managed_fields);
  const AuditPolicy::Choice other = policy.Choose(nullptr, {.verb = "put"});
  EXPECT_FALSE(other.Omits(AuditStageName::kRequestReceived));
  EXPECT_TRUE(other.omit_managed_fields);
}

class TestClock final : public base::Clock {
 public:
  std::chrono::system_clock::time_point Now() const override { return now; }
  std::chrono::steady_clock::time_point Monotonic() const override { return {}; }
  std::chrono::system_clock::time_point now{std::chrono::seconds(1'700'000'000)};
};

class NowhereExecutor final : public base::Executor {
 public:
  void Post(base::Work) override {}
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }
};

class Pieces final : public exchange::BodySource {
 public:
  explicit Pieces(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  State Pull(size_t, std::vector<base::Slice>& out) override {
    if (at_ == pieces_.size()) return State::kEnd;
    out.push_back(base::Slice::Own(pieces_[at_++]));
    return State::kMore;
  }
  void SetWaker(absl::AnyInvocable<void()>) override {}

 private:
  std::vector<std::string> pieces_;
  size_t at_ = 0;
};

class Inner final : public exchange::Handler {
 public:
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override {
    if (work) work(exchange.context());
    exchange::Response response;
    response.status = status;
    response.is_watch = is_watch;
    response.headers.Add("content-type", media_type);
    if (pieces.empty()) {
      response.body = std::vector<base::Slice>{base::Slice::Own(body)};
    } else {
      response.body = std::make_unique<Pieces>(pieces);
    }
    co_return response;
  }
  std::function<void(api::RequestContext&)> work;
  int status = 200;
  bool is_watch = false;
  std::string media_type = "application/json", body = R"({"kind":"Pod","apiVersion":"v1"})";
  std::vector<std::string> pieces;
};

class AuditTest : public testing::Test {
 protected:
  AuditTest() {
    char folder[] = "/tmp/fairlead-audit-XXXXXX";
    folder_ = mkdtemp(folder);
    path_ = (folder_ / "audit.log").string();
    request_.method = "GET";
    request_.path = "/api/v1/namespaces/n/pods/p";
    user_.name = "alice";
  }
  ~AuditTest() override { fs::remove_all(folder_); }

  std::unique_ptr<AuditLog> Log(AuditLog::Options options = {}) {
    if (options.file.path.empty()) options.file.path = path_;
    auto log = AuditLog::Open(options, clock_, metrics_, [this](std::string_view why) { told_ = why; });
    EXPECT_TRUE(log) << log.error().message;
    return *std::move(log);
  }

  // Runs the request through both stages; what is told, one JSON a line.
  exchange::Response Run(std::string_view rules, AuditLog::Options options = {}) {
    const AuditPolicy policy = PolicyOf(rules);
    const auto log = Log(std::move(options));
    const AuditParts parts{.policy = policy, .log = *log, .clock = clock_, .as_json = nullptr};
    Audit audit(parts, inner_);
    AuditReception reception(parts, authenticates_ ? static_cast<exchange::Handler&>(audit) : inner_);
    exchange::Exchange exchange(request_, executor_);
    api::RequestContext& context = exchange.context();
    context.audit_id = "id";
    context.query = api::Query::Parse(request_.raw_query);
    bool failed = false;
    context.info = api::ParseRequestInfo(request_.method, request_.path, context.query, &failed);
    context.user = user_;
    exchange::Response answer;
    base::Spawn(reception.Handle(exchange),
                [&](std::optional<exchange::Response> response, std::exception_ptr failure) {
                  threw_ = failure != nullptr;
                  if (response) answer = *std::move(response);
                });
    if (auto* body = std::get_if<std::unique_ptr<exchange::BodySource>>(&answer.body)) {
      std::vector<base::Slice> out;
      while (pulls_ && (*body)->Pull(1000, out) == exchange::BodySource::State::kMore) {
      }
      body->reset();
    }
    return answer;
  }
  std::vector<std::string> Lines() const { return LinesOf(path_); }
  static std::vector<std::string> LinesOf(const fs::path& path) {
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  std::string Member(size_t line, std::string_view key) {
    const std::vector<std::string> lines = Lines();
    if (line >= lines.size()) return "(no such line)";
    value::Arena arena;
    const auto event = value::ReadJson(lines[line], arena);
    EXPECT_TRUE(event) << lines[line];
    const value::Value member = event->Get(key);
    return member.is_string() ? std::string(member.AsString()) : value::ToJson(member);
  }
  std::string Stages() {
    std::string stages;
    for (size_t i = 0; i < Lines().size(); ++i) base::Append(stages, i == 0 ? "" : " ", Member(i, "stage"));
    return stages;
  }

  fs::path folder_;
  std::string path_;
  TestClock clock_;
  base::Metrics metrics_;
  NowhereExecutor executor_;
  exchange::Request request_;
  api::User user_;
  Inner inner_;
  bool authenticates_ = true, threw_ = false, pulls_ = true;
  std::string told_;
};

constexpr std::string_view kAll = "rules: [{level: RequestResponse}]";

TEST_F(AuditTest, AnEventIsWrittenAsTheRealServerWritesIt) {
  request_.raw_query = "a=b";
  request_.headers.Add("user-agent", "curl");
  request_.headers.Add("x-forwarded-for", "1.2.3.4, nonsense, ::1");
  request_.peer = std::make_shared<exchange::Peer>(exchange::Peer{.remote_address = "127.0.0.1:5"});
  user_ = {.name = "alice", .uid = "1", .groups = {"dev"}, .extra = {{"k", {"v"}}}};
  inner_.work = [](api::RequestContext& context) {
    api::AddAuditAnnotation(context, "b", "2");
    api::AddAuditAnnotation(context, "a", "<1>");
    api::AddAuditAnnotation(context, "b", "3");  // too late
    context.audit->impersonated = api::User{.name = "bob"};
    context.audit->request_object = R"({ "data": "<" })";
    context.audit->object_name = "of the body";
  };
  Run(kAll);
  const std::vector<std::string> lines = Lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id",)"
                      R"("stage":"RequestReceived","requestURI":"/api/v1/namespaces/n/pods/p?a=b","verb":"get",)"
                      R"("user":{"username":"alice","uid":"1","groups":["dev"],"extra":{"k":["v"]}},)"
                      R"("sourceIPs":["1.2.3.4","::1","127.0.0.1"],"userAgent":"curl",)"
                      R"("objectRef":{"resource":"pods","namespace":"n","name":"p","apiVersion":"v1"},)"
                      R"("requestReceivedTimestamp":"2023-11-14T22:13:20.000000Z",)"
                      R"("stageTimestamp":"2023-11-14T22:13:20.000000Z"})");
  EXPECT_EQ(lines[1], R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id",)"
                      R"("stage":"ResponseComplete","requestURI":"/api/v1/namespaces/n/pods/p?a=b","verb":"get",)"
                      R"("user":{"username":"alice","uid":"1","groups":["dev"],"extra":{"k":["v"]}},)"
                      R"("impersonatedUser":{"username":"bob"},)"
                      R"("sourceIPs":["1.2.3.4","::1","127.0.0.1"],"userAgent":"curl",)"
                      R"("objectRef":{"resource":"pods","namespace":"n","name":"p","apiVersion":"v1"},)"
                      R"("responseStatus":{"metadata":{},"code":200},"requestObject":{"data":"\u003c"},)"
                      R"("responseObject":{"kind":"Pod","apiVersion":"v1"},)"
                      R"("requestReceivedTimestamp":"2023-11-14T22:13:20.000000Z",)"
                      R"("stageTimestamp":"2023-11-14T22:13:20.000000Z",)"
                      R"("annotations":{"a":"\u003c1\u003e","b":"2"}})");
}

TEST_F(AuditTest, LegacyLinesSayTheSame) {
  AuditLog::Options options;
  options.legacy_format = true;
  Run("rules: [{level: Metadata, omitStages: [RequestReceived]}]", options);
  EXPECT_EQ(Lines().at(0),
            "2023-11-14T22:13:20.000000Z AUDIT: id=\"id\" stage=\"ResponseComplete\" ip=\"<unknown>\" method=\"get\" "
            "user=\"alice\" groups=\"<none>\" as=\"<self>\" asgroups=\"<lookup>\" user-agent=\"\" namespace=\"n\" "
            "uri=\"/api/v1/namespaces/n/pods/p\" response=\"200\"");
}

TEST_F(AuditTest, AnAnswerThatIsAStatusIsToldAtEveryLevel) {
  inner_.status = 404;
  inner_.body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","code":404})";
  Run("rules: [{level: Metadata}]");
  EXPECT_EQ(Member(1, "responseStatus"), R"({"metadata":{},"status":"Failure","message":"no","code":404})");
  EXPECT_EQ(Member(1, "responseObject"), "null");
}

TEST_F(AuditTest, WhatIsNoObjectIsNotShown) {
  inner_.body = R"({"major":"1"})";
  Run(kAll);
  EXPECT_EQ(Member(1, "responseObject"), "null");
}

TEST_F(AuditTest, LevelNoneTellsNothing) {
  inner_.work = [](api::RequestContext& context) { EXPECT_EQ(context.audit, nullptr); };
  Run("rules: [{level: None}]");
  EXPECT_TRUE(Lines().empty());
}

TEST_F(AuditTest, AWatchIsToldAtItsBeginAndItsEnd) {
  request_.raw_query = "watch=1";
  request_.path = "/api/v1/pods";
  inner_.is_watch = true;
  inner_.pieces = {"{}", "{}"};
  pulls_ = false;  // the client goes away
  Run(kAll);
  EXPECT_EQ(Stages(), "RequestReceived ResponseStarted ResponseComplete");
  EXPECT_EQ(Member(2, "responseObject"), "null");
}

TEST_F(AuditTest, AnAnswerInPiecesIsShownWhole) {
  inner_.pieces = {R"({"kind":"PodList",)", R"("items":[]})"};
  Run(kAll);
  EXPECT_EQ(Stages(), "RequestReceived ResponseComplete");
  EXPECT_EQ(Member(1, "responseObject"), R"({"kind":"PodList","items":[]})");
}

TEST_F(AuditTest, AnAnswerThatIsTooLargeIsNotKept) {
  const std::string piece(1 << 20, 'x');
  inner_.pieces = {R"({"kind":")"};
  for (size_t i = 0; i <= Audit::kMostCapturedBytes >> 20; ++i) inner_.pieces.push_back(piece);
  Run(kAll);
  EXPECT_EQ(Member(1, "responseObject"), "null");
  EXPECT_EQ(Member(1, "annotations"), R"({"audit.k8s.io/truncated":"true"})");
}

TEST_F(AuditTest, APanicIsTold) {
  inner_.work = [](api::RequestContext&) { throw std::runtime_error("broken"); };
  Run(kAll);
  EXPECT_TRUE(threw_);
  EXPECT_EQ(Stages(), "RequestReceived Panic");
  EXPECT_EQ(
      Member(1, "responseStatus"),
      R"({"metadata":{},"status":"Failure","message":"APIServer panic'd: broken","reason":"InternalError","code":500})");
}

TEST_F(AuditTest, WhoIsNotKnownIsToldOnce) {
  authenticates_ = false;
  inner_.status = 401;
  inner_.body = "no object";
  request_.headers.Add("authorization", "Bearer secret-of-a-client");
  Run(kAll);
  EXPECT_EQ(Stages(), "ResponseStarted");
  EXPECT_EQ(Member(0, "responseStatus"),
            R"({"metadata":{},"message":"Authentication failed, attempted: bearer","code":401})");
  EXPECT_EQ(Member(0, "user"), "{}");
  EXPECT_EQ(Lines()[0].find("secret-of-a-client"), std::string::npos);
}

TEST_F(AuditTest, ManagedFieldsAreLeftOut) {
  inner_.body = R"({"kind":"PodList","items":[{"metadata":{"name":"a","managedFields":[1]}}],"metadata":{}})";
  inner_.work = [](api::RequestContext& context) {
    context.audit->request_object = R"({"metadata":{"managedFields":[],"name":"b"}})";
  };
  Run("omitManagedFields: true, rules: [{level: RequestResponse}]");
  EXPECT_EQ(Member(1, "responseObject"), R"({"kind":"PodList","items":[{"metadata":{"name":"a"}}],"metadata":{}})");
  EXPECT_EQ(Member(1, "requestObject"), R"({"metadata":{"name":"b"}})");
}

TEST_F(AuditTest, LargeEventsLoseTheirObjects) {
  inner_.body = base::Cat(R"({"kind":")", std::string(5000, 'x'), "\"}");
  AuditLog::Options options;
  options.most_event_bytes = 2000;
  Run(kAll, options);
  EXPECT_EQ(Member(1, "responseObject"), "null");
  EXPECT_EQ(Member(1, "annotations"), R"({"audit.k8s.io/truncated":"true"})");
  options.most_event_bytes = 10;
  fs::remove(path_);
  Run(kAll, options);
  EXPECT_TRUE(Lines().empty());
  EXPECT_NE(told_.find("too large"), std::string::npos);
}

TEST_F(AuditTest, OnlyStrictBlockingRefusesWhatCannotBeWritten) {
  AuditLog::Options options;
  options.file.path = "/dev/full";
  EXPECT_EQ(Run(kAll, options).status, 200);
  EXPECT_NE(told_.find("No space left"), std::string::npos);
  options.mode = AuditLog::Mode::kBlockingStrict;
  EXPECT_EQ(Run(kAll, options).status, 500);
  options.mode = AuditLog::Mode::kBatch;
  EXPECT_EQ(Run(kAll, options).status, 200);
}

TEST_F(AuditTest, ABatchLogWritesAllThatWaitsWhenItStops) {
  AuditLog::Options options;
  options.mode = AuditLog::Mode::kBatch;
  options.batch_size = 1000;
  options.batch_wait = std::chrono::hours(1);
  const auto log = Log(options);
  AuditEvent event;
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(log->Process(event));
  log->Stop();
  EXPECT_EQ(Lines().size(), 500U);
  log->Process(event);  // who comes late writes it himself
  EXPECT_EQ(Lines().size(), 501U);
}

TEST_F(AuditTest, AFullBufferDropsAndCounts) {
  AuditLog::Options options;
  options.mode = AuditLog::Mode::kBatch;
  options.batch_size = 1000;
  options.buffer_size = 10;
  options.batch_wait = std::chrono::hours(1);
  const auto log = Log(options);
  for (int i = 0; i < 25; ++i) EXPECT_TRUE(log->Process({}));
  log->Stop();
  EXPECT_EQ(Lines().size(), 10U);
  EXPECT_EQ(metrics_.Counters("apiserver_audit_error_total", "", {"plugin"}).With({"buffered"}).value(), 15U);
}

TEST_F(AuditTest, FilesArePutAsideAndTidiedUp) {
  const LogFile::Options options{.path = path_, .most_backups = 2, .compress = true, .most_bytes_for_test = 10};
  const std::string stranger = (folder_ / "audit-of-somebody.log").string();
  std::ofstream(stranger) << "x";
  {
    const auto file = LogFile::Open(options, clock_);
    ASSERT_TRUE(file);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE((*file)->Write(base::Cat("line ", i, "\n")));  // the clock stands still
    EXPECT_FALSE((*file)->Write("longer than a file\n"));
  }
  EXPECT_EQ(Lines(), std::vector<std::string>{"line 4"});
  EXPECT_TRUE(fs::exists(stranger));
  std::vector<std::string> names, texts;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".gz")) continue;
    names.push_back(name);
    gzFile in = gzopen(entry.path().c_str(), "rb");
    char text[100];
    texts.emplace_back(text, static_cast<size_t>(gzread(in, text, sizeof(text))));
    gzclose(in);
  }
  std::ranges::sort(names);
  std::ranges::sort(texts);
  EXPECT_EQ(names,
            (std::vector<std::string>{"audit-2023-11-14T22-13-20.002.log.gz", "audit-2023-11-14T22-13-20.003.log.gz"}));
  EXPECT_EQ(texts, (std::vector<std::string>{"line 2\n", "line 3\n"}));
  // A day later they are too old.
  clock_.now += std::chrono::hours(25);
  {
    ASSERT_TRUE(LogFile::Open({.path = path_, .most_days = 1}, clock_));
  }
  EXPECT_FALSE(fs::exists(folder_ / names[0]));
}

}  // namespace
}  // namespace pipeline
