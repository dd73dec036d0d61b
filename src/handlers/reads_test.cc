// get and list through the router: views, encodings, errors.
#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "handlers/handlers_fixture.h"
#include "schema/wire.h"

namespace handlers {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Headers = std::vector<std::pair<std::string, std::string>>;

const char kMaps[] = "/api/v1/namespaces/ns/configmaps";
const Headers kTable = {{"accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}};
const Headers kPartial = {{"accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}};
const Headers kPartialList = {{"accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1"}};

class ReadsTest : public ::testing::Test {
 protected:
  ReadsTest() {
    a_ = f_.Create(*f_.configmaps, R"({"metadata":{"name":"a","labels":{"l":"1"}},"data":{"k":"v"}})")->bytes.data;
    f_.Create(*f_.configmaps, R"({"metadata":{"name":"b"}})");
  }
  Fixture f_;
  std::string a_;
};

TEST_F(ReadsTest, AnObjectIsItsStoredBytes) {
  TestAnswer answer = f_.Ask("GET", std::string(kMaps) + "/a");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.type, "application/json");
  EXPECT_EQ(answer.body, a_ + "\n");
}

TEST_F(ReadsTest, ObjectsHaveOtherForms) {
  EXPECT_THAT(f_.Ask("GET", std::string(kMaps) + "/a?pretty=1").body, StartsWith("{\n  \"kind\": \"ConfigMap\","));
  EXPECT_THAT(f_.Ask("GET", std::string(kMaps) + "/a?pretty=1").body, EndsWith("\n}"));
  EXPECT_THAT(f_.Ask("GET", std::string(kMaps) + "/a", "", {{"accept", "application/yaml"}}).body,
              StartsWith("apiVersion: v1\ndata:\n  k: v\nkind: ConfigMap\n"));
  TestAnswer protobuf =
      f_.Ask("GET", std::string(kMaps) + "/a", "", {{"accept", "application/vnd.kubernetes.protobuf"}});
  auto envelope = schema::DecodeEnvelope(protobuf.body);
  ASSERT_TRUE(envelope.has_value());
  EXPECT_EQ(envelope->kind, "ConfigMap");
  value::Arena arena;
  EXPECT_EQ(schema::DecodeWire(*f_.configmaps->type, envelope->message, arena)->Get("data").GetString("k"), "v");
}

TEST_F(ReadsTest, ObjectsHaveViews) {
  EXPECT_THAT(f_.Ask("GET", std::string(kMaps) + "/a", "", kPartial).body,
              StartsWith(R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a")"));
  TestAnswer table = f_.Ask("GET", std::string(kMaps) + "/a?includeObject=None", "", kTable);
  EXPECT_THAT(table.body,
              StartsWith(R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":)"));
  EXPECT_THAT(table.body, EndsWith("\"rows\":[{\"cells\":[\"a\",\"2027-01-15T08:00:00Z\"],\"object\":null}]}\n"));
  EXPECT_EQ(f_.Ask("GET", std::string(kMaps) + "/a", "", kPartialList).status, 406);
  EXPECT_EQ(f_.Ask("GET", std::string(kMaps) + "/a?includeObject=bad", "", kTable).status, 400);
}

// Members that nobody is shown, and empty bytes, which protobuf alone shows.
TEST_F(ReadsTest, StoredFormsMaySayMore) {
  registry::Resource& hooks = f_.table.Add("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
                                           "ValidatingWebhookConfiguration", false);
  hooks.verbs = {"get", "list", "watch"};
  hooks.list_kind = "ValidatingWebhookConfigurationList";
  hooks.list_type = schema::FindKind(hooks.group, "v1", hooks.list_kind);
  f_.table.StrategyOf(hooks).hidden_member = [](const value::Value&) -> std::string_view {
    return "metadata.generateName";
  };
  f_.table.Open(*f_.store);
  const std::string hook = R"({"name":"h","clientConfig":{"caBundle":""}})";
  f_.Create(hooks, base::Cat(R"({"metadata":{"name":"w","generateName":"hidden"},"webhooks":[)", hook, "]}"), "");
  const std::string all = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", one = all + "/w";
  const std::string asked[] = {
      f_.Ask("GET", one).body,
      f_.Ask("GET", all).body,
      f_.Ask("GET", all + "?watch=1").body,
      f_.Ask("GET", one, "", {{"accept", "application/yaml"}}).body,
      f_.Ask("GET", one + "?includeObject=Object", "", kTable).body,
      f_.Ask("GET", all + "?includeObject=Object", "", kTable).body,
      f_.Ask("GET", one, "", kPartial).body,
      f_.Ask("GET", all, "", kPartialList).body,
  };
  for (const std::string& answer : asked) {
    EXPECT_THAT(answer, HasSubstr("creationTimestamp"));
    EXPECT_THAT(answer, testing::Not(HasSubstr("caBundle")));
    EXPECT_THAT(answer, testing::Not(HasSubstr("hidden")));
  }
  for (const std::string& path : {one, all}) {
    const std::string protobuf = f_.Ask("GET", path, "", {{"accept", "application/vnd.kubernetes.protobuf"}}).body;
    EXPECT_THAT(protobuf, HasSubstr(std::string("\x0a\x01h\x12\x02\x12\x00", 7)));
    EXPECT_THAT(protobuf, testing::Not(HasSubstr("hidden")));
  }
}

TEST_F(ReadsTest, SubresourcesShowWhatOthersHide) {
  f_.table.StrategyOf(*f_.deployments).hidden_member = [](const value::Value&) -> std::string_view {
    return "spec.paused";
  };
  f_.Create(*f_.deployments, R"({"metadata":{"name":"d"},"spec":{"paused":true}})");
  const std::string deployment = "/apis/apps/v1/namespaces/ns/deployments/d";
  EXPECT_THAT(f_.Ask("GET", deployment).body, testing::Not(HasSubstr("paused")));
  EXPECT_THAT(f_.Ask("GET", deployment + "/status").body, HasSubstr("paused"));
  EXPECT_THAT(f_.Ask("GET", deployment).body, testing::Not(HasSubstr("paused")));
}

TEST_F(ReadsTest, ListsHoldItemsWithoutKind) {
  TestAnswer list = f_.Ask("GET", kMaps);
  EXPECT_THAT(list.body, StartsWith(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":")"));
  EXPECT_THAT(list.body, HasSubstr(R"("items":[{"metadata":{"name":"a")"));
  EXPECT_THAT(list.body, HasSubstr(R"("data":{"k":"v"}},{"metadata":{"name":"b")"));
  EXPECT_THAT(list.body, EndsWith("}]}\n"));
  EXPECT_THAT(f_.Ask("GET", std::string(kMaps) + "?labelSelector=l").body, testing::Not(HasSubstr("\"name\":\"b\"")));
  EXPECT_THAT(f_.Ask("GET", "/api/v1/namespaces/none/configmaps").body, EndsWith("\"items\":[]}\n"));
}

TEST_F(ReadsTest, RowsMayComeInAnotherOrderThanTheList) {
  static constexpr registry::Column kColumns[] = {{.name = "Name", .type = "string"}};
  static const registry::PrinterTable kPrinter = {
      .columns = kColumns,
      .cells =
          [](value::Arena& arena, const value::Value& object, std::string_view) {
            value::Value cells = value::Value::Array(arena, 1);
            cells.Append(arena, value::Value::String(object.Get("metadata").GetString("name")));
            return cells;
          },
      .rank = [](const value::Value& object) -> int64_t { return object.Get("metadata").GetString("name") == "a"; }};
  f_.configmaps->printer = std::make_shared<registry::TablePrinter>(kPrinter);
  f_.Create(*f_.configmaps, R"({"metadata":{"name":"c"}})");
  const std::string rows = f_.Ask("GET", kMaps, "", kTable).body;
  EXPECT_LT(rows.find("[\"b\"]"), rows.find("[\"c\"]"));
  EXPECT_LT(rows.find("[\"c\"]"), rows.find("[\"a\"]"));
  EXPECT_NE(rows.find("[\"a\"]"), std::string::npos);
}

TEST_F(ReadsTest, OldPartialListsHaveTheirMetadataLast) {
  const auto ask = [&](std::string_view version) {
    const std::string type = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=";
    TestAnswer answer = f_.Ask("GET", kMaps, "", {{"accept", base::Cat(type, version)}});
    auto envelope = schema::DecodeEnvelope(answer.body);
    return envelope ? std::string(envelope->message) : std::string();
  };
  const std::string now = ask("v1"), before = ask("v1beta1");
  ASSERT_GT(now.size(), 2U);
  const size_t meta = 2 + static_cast<uint8_t>(now[1]);  // the first field, short
  std::string moved = now.substr(meta);
  for (size_t at = 0; at < moved.size(); at += 2 + static_cast<uint8_t>(moved[at + 1])) {
    ASSERT_LT(static_cast<uint8_t>(moved[at + 1]), 128);
    moved[at] = '\x0a';
  }
  EXPECT_EQ(before, moved + '\x12' + now.substr(1, meta - 1));
}

TEST_F(ReadsTest, ListsHaveViews) {
  TestAnswer partial = f_.Ask("GET", kMaps, "", kPartialList);
  EXPECT_THAT(partial.body,
              StartsWith(R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1beta1","metadata":{)"));
  EXPECT_THAT(
      partial.body,
      HasSubstr(
          R"("items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{"name":"a")"));
  EXPECT_THAT(f_.Ask("GET", "/api/v1/namespaces/none/configmaps", "", kPartialList).body,
              EndsWith("\"items\":null}\n"));
  EXPECT_EQ(f_.Ask("GET", kMaps, "", kPartial).status, 406);
  EXPECT_THAT(f_.Ask("GET", "/api/v1/namespaces/none/configmaps", "", kTable).body, EndsWith("\"rows\":null}\n"));
  EXPECT_THAT(f_.Ask("GET", std::string(kMaps) + "?includeObject=Object", "", kTable).body,
              HasSubstr(R"("object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a")"));
}

TEST_F(ReadsTest, ProtobufListsAreOneMessage) {
  TestAnswer answer = f_.Ask("GET", kMaps, "", {{"accept", "application/vnd.kubernetes.protobuf"}});
  auto envelope = schema::DecodeEnvelope(answer.body);
  ASSERT_TRUE(envelope.has_value());
  EXPECT_EQ(envelope->kind, "ConfigMapList");
  value::Arena arena;
  auto list = schema::DecodeWire(*f_.configmaps->list_type, envelope->message, arena);
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->Get("items").size(), 2u);
  EXPECT_EQ(list->Get("items")[1].Get("metadata").GetString("name"), "b");
}

TEST_F(ReadsTest, LongListsAreStreamed) {
  std::string filler(3000, 'x');
  for (int i = 0; i < 60; ++i) {
    f_.Create(*f_.configmaps,
              R"({"metadata":{"name":"c)" + std::to_string(i) + R"("},"data":{"k":")" + filler + "\"}}");
  }
  TestAnswer answer = f_.Ask("GET", kMaps);
  EXPECT_TRUE(answer.is_stream);
  value::Arena arena;
  auto list = value::ReadJson(answer.body, arena);
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->Get("items").size(), 62u);
}

TEST_F(ReadsTest, PagesHaveTokens) {
  TestAnswer page = f_.Ask("GET", std::string(kMaps) + "?limit=1");
  value::Arena arena;
  auto list = value::ReadJson(page.body, arena);
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->Get({"metadata", "remainingItemCount"}).AsInt(), 1);
  std::string token(list->Get("metadata").GetString("continue"));
  EXPECT_THAT(f_.Ask("GET", std::string(kMaps) + "?limit=1&continue=" + token).body, HasSubstr("\"name\":\"b\""));
}

TEST_F(ReadsTest, ErrorsAreStatusObjects) {
  struct {
    const char *method, *target;
    int status;
    const char* part;
  } cases[] = {
      {"GET", "/api/v1/namespaces/ns/configmaps/none", 404,
       R"("message":"configmaps \"none\" not found","reason":"NotFound","details":{"name":"none","kind":"configmaps"},"code":404})"},
      {"GET", "/api/v1/nosuch", 404,
       R"("message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404})"},
      {"GET", "/apis/nosuch/v1", 404, "404 page not found\n"},
      {"FOO", "/api/v1/namespaces/ns/configmaps", 405,
       R"("message":"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405})"},
      {"GET", "/api/v1/namespaces/ns/configmaps?limit=x", 400, R"("reason":"BadRequest","code":400})"},
      {"GET", "/api/v1/namespaces/ns/configmaps?resourceVersion=x", 500, R"("status":"Failure")"},
      {"GET", "/api/v1/namespaces/ns/configmaps/a?export=true", 400, "no longer supported"},
      {"GET", "/api/v1", 299, ""},
  };
  for (const auto& c : cases) {
    TestAnswer answer = f_.Ask(c.method, c.target);
    EXPECT_EQ(answer.status, c.status) << c.target;
    EXPECT_THAT(answer.body, HasSubstr(c.part)) << c.target;
  }
}

TEST_F(ReadsTest, EndpointsComeBeforeResources) {
  f_.endpoints.Exact("/api/v1/nosuch", Sync([](exchange::Exchange&) { return exchange::Response{.status = 298}; }));
  EXPECT_EQ(f_.Ask("GET", "/api/v1/nosuch").status, 298);
}

}  // namespace
}  // namespace handlers
