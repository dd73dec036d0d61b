#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "handlers/handlers_fixture.h"
#include "schema/wire.h"

namespace handlers {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kMaps = "/api/v1/namespaces/ns/configmaps";

class WatchTest : public ::testing::Test {
 protected:
  // What each line of a stream says: "ADDED a", "BOOKMARK ".
  static std::vector<std::string> Events(const std::string& stream) {
    std::vector<std::string> events;
    std::string_view rest = stream;
    while (!rest.empty()) {
      size_t end = rest.find('\n');
      value::Arena arena;
      auto event = value::ReadJson(rest.substr(0, end), arena);
      value::Value object = event->Get("object");
      events.push_back(std::string(event->GetString("type")) + " " +
                       std::string(object.Get("metadata").GetString("name")) +
                       std::string(object.Get("data").GetString("v")));
      rest.remove_prefix(end + 1);
    }
    return events;
  }
  void Make(const std::string& name, const std::string& label, const std::string& v = "") {
    f_.Create(*f_.configmaps,
              R"({"metadata":{"name":")" + name + R"(","labels":{"s":")" + label + R"("}},"data":{"v":")" + v + "\"}}");
  }
  void Change(const std::string& name, const std::string& label, const std::string& v) {
    auto put = f_.Put(
        *f_.configmaps, name,
        R"({"metadata":{"name":")" + name + R"(","labels":{"s":")" + label + R"("}},"data":{"v":")" + v + "\"}}");
    ASSERT_TRUE(put.has_value()) << put.error().message;
  }
  std::string Version() { return std::to_string(f_.store->revision().value()); }
  Fixture f_;
};

using Lines = std::vector<std::string>;

TEST_F(WatchTest, AnAddedObjectIsItsStoredBytes) {
  OpenWatch watch(f_, kMaps + "?watch=1&resourceVersion=" + Version());
  EXPECT_EQ(watch.Read(), "");
  auto made = f_.Create(*f_.configmaps, R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(watch.Read(), "{\"type\":\"ADDED\",\"object\":" + std::string(made->bytes.data) + "}\n");
  EXPECT_TRUE(watch.woken);
}

TEST_F(WatchTest, BeginsWithTheStateAtNoVersion) {
  Make("b", "x");
  Make("a", "x");
  for (const char* version : {"", "&resourceVersion=", "&resourceVersion=0"}) {
    OpenWatch watch(f_, kMaps + "?watch=1" + version);
    EXPECT_EQ(Events(watch.Read()), (Lines{"ADDED a", "ADDED b"})) << version;
  }
  OpenWatch from(f_, kMaps + "?watch=1&resourceVersion=" + Version());
  Change("a", "x", "2");
  f_.Delete(*f_.configmaps, "b");
  EXPECT_EQ(Events(from.Read()), (Lines{"MODIFIED a2", "DELETED b"}));
}

TEST_F(WatchTest, SelectionsAreEnteredAndLeft) {
  OpenWatch watch(f_, kMaps + "?watch=1&labelSelector=s=in&resourceVersion=" + Version());
  Make("a", "in", "1");
  Make("b", "out", "1");
  Change("a", "out", "2");  // left: as it was
  Change("b", "out", "2");  // unseen
  Change("b", "in", "3");
  Change("b", "in", "4");
  f_.Delete(*f_.configmaps, "a");  // unseen
  f_.Delete(*f_.configmaps, "b");
  EXPECT_EQ(Events(watch.Read()), (Lines{"ADDED a1", "DELETED a1", "ADDED b3", "MODIFIED b4", "DELETED b4"}));
}

TEST_F(WatchTest, LeavingCarriesTheVersionThatTookItAway) {
  OpenWatch watch(f_, kMaps + "?watch=1&labelSelector=s=in&resourceVersion=" + Version());
  Make("a", "in", "1");
  watch.Read();
  Change("a", "out", "2");
  EXPECT_THAT(watch.Read(), HasSubstr("\"resourceVersion\":\"" + Version() + "\""));
}

TEST_F(WatchTest, OneObjectIsWatchedByFieldOrPath) {
  const std::string at = "resourceVersion=" + Version();
  OpenWatch by_field(f_, kMaps + "?watch=1&fieldSelector=metadata.name=a&" + at);
  OpenWatch by_path(f_, "/api/v1/watch/namespaces/ns/configmaps/a?" + at);
  Make("a", "x");
  Make("b", "x");
  EXPECT_EQ(Events(by_field.Read()), (Lines{"ADDED a"}));
  EXPECT_EQ(Events(by_path.Read()), (Lines{"ADDED a"}));
  EXPECT_EQ(f_.Ask("GET", "/api/v1/watch/namespaces/ns/configmaps/a?fieldSelector=metadata.name=b").status, 400);
  EXPECT_EQ(f_.Ask("GET", kMaps + "/a?watch=1").body.substr(0, 8), "{\"kind\":");  // ignored on the path of an object
}

TEST_F(WatchTest, TellsWhenToComeAgainForAVersionToCome) {
  OpenWatch watch(f_,
                  "/api/v1/namespaces/ns/"
                  "events?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=900");
  EXPECT_THAT(watch.Read(), testing::ContainsRegex("\"retryAfterSeconds\":[123]\\}"));
}

TEST_F(WatchTest, AWatchListMarksTheEndOfTheState) {
  Make("a", "x");
  OpenWatch watch(f_,
                  kMaps + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  std::string text = watch.Read();
  EXPECT_EQ(Events(text), (Lines{"ADDED a", "BOOKMARK "}));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"("annotations":{"k8s.io/initial-events-end":"true","kubernetes.io/initial-events-list-blueprint":)"
          R"("eyJraW5kIjoiQ29uZmlnTWFwTGlzdCIsImFwaVZlcnNpb24iOiJ2MSIsIm1ldGFkYXRhIjp7fSwiaXRlbXMiOm51bGx9Cg=="})"));
  EXPECT_THAT(text, HasSubstr("\"resourceVersion\":\"" + Version() + "\",\"creationTimestamp\":null"));
}

TEST_F(WatchTest, BookmarksOfWhatIsScaledHaveReplicas) {
  OpenWatch watch(f_,
                  "/apis/apps/v1/namespaces/ns/deployments?watch=1&sendInitialEvents=true&"
                  "resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  EXPECT_THAT(watch.Read(), HasSubstr(R"("spec":{"replicas":0)"));
}

TEST_F(WatchTest, BookmarksComeWithTime) {
  OpenWatch watch(f_, kMaps + "?watch=1&allowWatchBookmarks=1&timeoutSeconds=600&resourceVersion=" + Version());
  Make("a", "x");
  watch.Read();
  EXPECT_LE(f_.timers.shortest(), std::chrono::seconds(60));
  f_.clock.ahead = std::chrono::seconds(61);
  f_.timers.Fire();
  EXPECT_EQ(Events(watch.Read()), (Lines{"BOOKMARK "}));
  EXPECT_EQ(watch.Read(), "");
}

TEST_F(WatchTest, EndsAtItsTimeout) {
  OpenWatch watch(f_, kMaps + "?watch=1&timeoutSeconds=5&resourceVersion=" + Version());
  EXPECT_EQ(watch.Read(), "");
  EXPECT_FALSE(watch.ended);
  f_.clock.ahead = std::chrono::seconds(6);
  f_.timers.Fire();
  EXPECT_TRUE(watch.woken);
  EXPECT_EQ(watch.Read(), "");
  EXPECT_TRUE(watch.ended);
}

TEST_F(WatchTest, ALostVersionIsAnErrorEvent) {
  Make("a", "x");
  Make("b", "x");
  f_.store->Compact(f_.store->revision());
  OpenWatch watch(f_, kMaps + "?watch=1&resourceVersion=1");
  EXPECT_EQ(watch.status, 200);
  EXPECT_THAT(watch.Read(), testing::AllOf(StartsWith(R"({"type":"ERROR","object":{"kind":"Status")"),
                                           HasSubstr("too old resource version: 1 ("), EndsWith("\"code\":410}}\n")));
  EXPECT_TRUE(watch.ended);
}

TEST_F(WatchTest, TablesSayTheirColumnsOnce) {
  OpenWatch watch(f_, kMaps + "?watch=1&includeObject=None&resourceVersion=" + Version(),
                  {{"accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
  Make("a", "x");
  Make("b", "x");
  std::string text = watch.Read(), first = text.substr(0, text.find('\n')), second = text.substr(text.find('\n') + 1);
  EXPECT_THAT(first, HasSubstr(R"("columnDefinitions":[{"name":"Name")"));
  EXPECT_THAT(second, HasSubstr(R"("columnDefinitions":null,"rows":[{"cells":["b",)"));
}

TEST_F(WatchTest, WatchersShareFormsAndStillDiffer) {
  const std::string target = kMaps + "?watch=1&resourceVersion=" + Version();
  OpenWatch partial(f_, target, {{"accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}});
  OpenWatch beta(f_, target, {{"accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1"}});
  OpenWatch twin(f_, target, {{"accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}});
  Make("a", "x", "data");
  std::string text = partial.Read();
  EXPECT_THAT(
      text,
      HasSubstr(R"("object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a")"));
  EXPECT_THAT(text, Not(HasSubstr("\"data\":{")));
  EXPECT_EQ(twin.Read(), text);
  EXPECT_THAT(beta.Read(), HasSubstr("meta.k8s.io/v1beta1"));
}

TEST_F(WatchTest, ProtobufEventsAreFramed) {
  OpenWatch watch(f_, kMaps + "?watch=1&resourceVersion=" + Version(),
                  {{"accept", "application/vnd.kubernetes.protobuf"}});
  Make("a", "x");
  std::string frame = watch.Read();
  ASSERT_GT(frame.size(), 4u);
  size_t length = 0;
  for (int i = 0; i < 4; ++i) length = length << 8 | static_cast<uint8_t>(frame[i]);
  EXPECT_EQ(frame.size(), length + 4);
  EXPECT_EQ(frame.substr(4, 7),
            "\x0a\x05"
            "ADDED");
  auto envelope = schema::DecodeEnvelope(std::string_view(frame).substr(frame.find(schema::kEnvelopePrefix)));
  ASSERT_TRUE(envelope.has_value());
  EXPECT_EQ(envelope->kind, "ConfigMap");
}

TEST_F(WatchTest, SomeWatchesAreRefused) {
  struct {
    const char *query, *accept;
    int status;
  } cases[] = {
      {"watch=1", "application/yaml", 406},
      {"watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1",
       "application/json;as=Table;g=meta.k8s.io;v=v1", 406},
      {"watch=1&resourceVersion=abc", "", 500},
      {"watch=1&includeObject=x", "application/json;as=Table;g=meta.k8s.io;v=v1", 400},
      {"watch=1&fieldSelector=x=y", "", 400},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(f_.Ask("GET", kMaps + "?" + c.query, "", {{"accept", c.accept}}).status, c.status) << c.query;
  }
}

TEST_F(WatchTest, UpgradesToAWebSocket) {
  std::vector<std::pair<std::string, std::string>> headers = {{"connection", "keep-alive, Upgrade"},
                                                              {"upgrade", "WebSocket"},
                                                              {"sec-websocket-version", "13"},
                                                              {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="},
                                                              {"origin", "http://localhost"}};
  const std::string target = kMaps + "?watch=1&timeoutSeconds=5&resourceVersion=" + Version();
  exchange::Response response = f_.Send(f_.NewRequest("GET", target, "", headers));
  EXPECT_EQ(response.status, 101);
  EXPECT_EQ(response.headers.Get("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");

  OpenWatch watch(f_, target, headers);
  Make("a", "x");
  Make("b", "x");
  std::string frames = watch.Read();
  ASSERT_GT(frames.size(), 4u);
  EXPECT_EQ(frames.substr(0, 2), "\x81\x7e");
  size_t length = static_cast<uint8_t>(frames[2]) << 8 | static_cast<uint8_t>(frames[3]);
  EXPECT_EQ(Events(frames.substr(4, length)), (Lines{"ADDED a"}));
  EXPECT_EQ(frames.substr(4 + length, 2), "\x81\x7e");
  f_.clock.ahead = std::chrono::seconds(6);
  EXPECT_EQ(watch.Read(), std::string("\x88\x02\x03\xe8"));
  EXPECT_TRUE(watch.ended);

  headers[2].second = "8";
  EXPECT_EQ(f_.Ask("GET", target, "", headers).body, "missing or bad WebSocket Version");
  headers[2].second = "13";
  headers.pop_back();
  EXPECT_EQ(f_.Ask("GET", target, "", headers).status, 403);
}

TEST_F(WatchTest, AListViewOfEventsEndsTheStream) {
  OpenWatch watch(f_, kMaps + "?watch=1&resourceVersion=" + Version(),
                  {{"accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}});
  EXPECT_EQ(watch.status, 200);
  Make("a", "x");
  EXPECT_EQ(watch.Read(), "");
  EXPECT_TRUE(watch.ended);
}

}  // namespace
}  // namespace handlers
