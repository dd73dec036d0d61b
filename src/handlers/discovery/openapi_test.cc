// OpenAPI documents of the built-in API, and how they are asked for.
#include "handlers/discovery/openapi.h"

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "handlers/discovery/openapi_document.h"
#include "handlers/discovery/openapi_paths.h"
#include "handlers/discovery/openapi_wire.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace handlers {
namespace {

using registry::Resource;
using registry::Subresource;
using value::Arena;
using value::Value;

constexpr std::string_view kPod = "io.k8s.api.core.v1.Pod";

// A small API: pods with a status, a log and a proxy; and namespaces that nobody may create.
class Table : public registry::ResourceTables {
 public:
  Table() {
    auto pods = std::make_shared<Resource>(), leases = std::make_shared<Resource>();
    pods->version = "v1";
    pods->plural = "pods";
    pods->kind = "Pod";
    pods->namespaced = true;
    pods->verbs = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
    pods->type = schema::FindType(kPod);
    pods->list_type = schema::FindType("io.k8s.api.core.v1.PodList");
    pods->deletes_returns = "Pod";
    pods->subresources = {
        {.name = "log", .verbs = {"get"}, .group = "", .version = "v1", .kind = "Pod", .type = pods->type},
        {.name = "proxy",
         .verbs = {"create", "delete", "get"},
         .group = "",
         .version = "v1",
         .kind = "PodProxyOptions",
         .type = schema::FindType("io.k8s.api.core.v1.PodProxyOptions"),
         .connect = true},
        {.name = "status",
         .verbs = {"get", "patch", "update"},
         .group = "",
         .version = "v1",
         .kind = "Pod",
         .type = pods->type}};
    leases->group = "coordination.k8s.io";
    leases->version = "v1";
    leases->plural = "leases";
    leases->kind = "Lease";
    leases->namespaced = true;
    leases->verbs = {"get", "list"};
    leases->type = schema::FindType("io.k8s.api.coordination.v1.Lease");
    leases->list_type = schema::FindType("io.k8s.api.coordination.v1.LeaseList");
    pods->place = 0;
    leases->place = 1;
    Publish({.remove = {}, .put = {pods, leases}});
  }
};

class InlineExecutor : public base::Executor {
 public:
  void Post(base::Work work) override { work(); }
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }
};

class OpenApiTest : public testing::Test {
 protected:
  OpenApiTest() : open_api_(table_, "1.32", base::SystemClock(), {}) { open_api_.Install(endpoints_); }

  Value V3(std::string_view name) {
    std::string& text = texts_.emplace_back(open_api_.DocumentV3(name));
    return *value::ReadJson(text, arena_);
  }

  exchange::Response Get(std::string path, std::vector<std::pair<std::string, std::string>> headers = {},
                         std::string query = "") {
    exchange::Request request;
    request.method = "GET";
    request.path = path;
    request.raw_query = query;
    for (auto& [name, text] : headers) request.headers.Add(name, text);
    InlineExecutor executor;
    exchange::Exchange exchange(std::move(request), executor);
    exchange.context().info.path = path;
    exchange.context().query = api::Query::Parse(query);
    exchange::Handler* handler = endpoints_.Find(path);
    EXPECT_TRUE(handler) << path;
    exchange::Response response;
    base::Spawn(handler->Handle(exchange),
                [&](std::optional<exchange::Response> answer, std::exception_ptr) { response = std::move(*answer); });
    return response;
  }

  static std::string Body(const exchange::Response& response) {
    std::string body;
    for (const base::Slice& slice : std::get<std::vector<base::Slice>>(response.body)) body += slice.data;
    return body;
  }

  Table table_;
  OpenApi open_api_;
  Endpoints endpoints_;
  Arena arena_;
  std::deque<std::string> texts_;
};

TEST_F(OpenApiTest, NamesOperationsAsTheServerDoes) {
  std::set<std::string> ids;
  for (const value::Member& path : V3("api/v1").Get("paths").members()) {
    for (const value::Member& operation : path.value.members()) {
      if (operation.value.is_object()) ids.insert(std::string(operation.value.GetString("operationId")));
    }
  }
  EXPECT_EQ(ids, (std::set<std::string>{"getCoreV1APIResources",
                                        "listCoreV1PodForAllNamespaces",
                                        "listCoreV1NamespacedPod",
                                        "createCoreV1NamespacedPod",
                                        "deleteCoreV1CollectionNamespacedPod",
                                        "readCoreV1NamespacedPod",
                                        "replaceCoreV1NamespacedPod",
                                        "deleteCoreV1NamespacedPod",
                                        "patchCoreV1NamespacedPod",
                                        "readCoreV1NamespacedPodLog",
                                        "readCoreV1NamespacedPodStatus",
                                        "replaceCoreV1NamespacedPodStatus",
                                        "patchCoreV1NamespacedPodStatus",
                                        "watchCoreV1PodListForAllNamespaces",
                                        "watchCoreV1NamespacedPodList",
                                        "watchCoreV1NamespacedPod",
                                        "connectCoreV1GetNamespacedPodProxy",
                                        "connectCoreV1PostNamespacedPodProxy",
                                        "connectCoreV1PutNamespacedPodProxy",
                                        "connectCoreV1DeleteNamespacedPodProxy",
                                        "connectCoreV1OptionsNamespacedPodProxy",
                                        "connectCoreV1HeadNamespacedPodProxy",
                                        "connectCoreV1PatchNamespacedPodProxy",
                                        "connectCoreV1GetNamespacedPodProxyWithPath",
                                        "connectCoreV1PostNamespacedPodProxyWithPath",
                                        "connectCoreV1PutNamespacedPodProxyWithPath",
                                        "connectCoreV1DeleteNamespacedPodProxyWithPath",
                                        "connectCoreV1OptionsNamespacedPodProxyWithPath",
                                        "connectCoreV1HeadNamespacedPodProxyWithPath",
                                        "connectCoreV1PatchNamespacedPodProxyWithPath"}));
}

TEST_F(OpenApiTest, SharesParametersOfAPath) {
  Value path = V3("api/v1").Get({"paths", "/api/v1/namespaces/{namespace}/pods/{name}"});
  std::vector<std::string> shared, own;
  for (const Value& p : path.Get("parameters").items()) shared.emplace_back(p.GetString("name"));
  for (const Value& p : path.Get({"put", "parameters"}).items()) own.emplace_back(p.GetString("name"));
  EXPECT_EQ(shared, (std::vector<std::string>{"name", "namespace", "pretty"}));
  EXPECT_EQ(own, (std::vector<std::string>{"dryRun", "fieldManager", "fieldValidation"}));
  EXPECT_FALSE(path.Get("get").Find("parameters"));
}

TEST_F(OpenApiTest, DescribesTypes) {
  Value schemas = V3("apis/coordination.k8s.io/v1").Get({"components", "schemas"});
  Value lease = schemas.Get("io.k8s.api.coordination.v1.Lease");
  EXPECT_EQ(value::ToJson(lease.Get("x-kubernetes-group-version-kind")),
            R"([{"group":"coordination.k8s.io","kind":"Lease","version":"v1"}])");
  Value metadata = lease.Get({"properties", "metadata"});
  EXPECT_EQ(value::ToJson(metadata.Get("allOf")),
            R"([{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}])");
  EXPECT_EQ(value::ToJson(metadata.Get("default")), "{}");
  EXPECT_FALSE(metadata.GetString("description").empty());
  EXPECT_EQ(value::ToJson(schemas.Get({"io.k8s.api.coordination.v1.LeaseList", "required"})), R"(["items"])");
  EXPECT_TRUE(schemas.Find("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1")) << "references are followed";
}

// Every reference in a document leads to a schema of the document.
void CheckReferences(const Value& v, std::string_view root, const Value& schemas) {
  for (const Value& item : v.items()) CheckReferences(item, root, schemas);
  for (const value::Member& member : v.members()) {
    if (member.key == "$ref" && member.value.is_string() && member.value.AsString().starts_with(root)) {
      EXPECT_TRUE(schemas.Find(member.value.AsString().substr(root.size()))) << member.value.AsString();
    }
    CheckReferences(member.value, root, schemas);
  }
}

TEST_F(OpenApiTest, ReferencesLeadSomewhere) {
  Value v3 = V3("api/v1");
  CheckReferences(v3, "#/components/schemas/", v3.Get({"components", "schemas"}));
  std::string text = open_api_.DocumentV2();
  Value v2 = *value::ReadJson(text, arena_);
  CheckReferences(v2, "#/definitions/", v2.Get("definitions"));
  CheckReferences(v2, "#/parameters/", v2.Get("parameters"));
}

TEST_F(OpenApiTest, VersionTwoKeepsWhatKubectlLooksForInPlace) {
  std::string text = open_api_.DocumentV2();
  Value v2 = *value::ReadJson(text, arena_);
  std::set<std::string> in_place;
  for (const Value& p :
       v2.Get({"paths", "/api/v1/namespaces/{namespace}/pods/{name}", "patch", "parameters"}).items()) {
    in_place.insert(std::string(p.GetString("name")));
  }
  EXPECT_TRUE(in_place.contains("dryRun"));
  EXPECT_TRUE(in_place.contains("fieldValidation"));
  EXPECT_FALSE(in_place.contains("fieldManager")) << "shared by reference";
  EXPECT_FALSE(text.find("\"default\"") != text.npos) << "version 2 has no defaults";
}

// Also what only one path has.
TEST_F(OpenApiTest, VersionTwoSharesAllOtherParameters) {
  const std::string text = open_api_.DocumentV2();
  const Value v2 = *value::ReadJson(text, arena_), shared = v2.Get("parameters");
  std::map<std::string, int> names;  // of what is shared, without the hash
  for (const value::Member& parameter : shared.members()) {
    EXPECT_EQ(parameter.key.substr(0, parameter.key.size() - 9), parameter.value.GetString("name"));
    ++names[std::string(parameter.value.GetString("name"))];
  }
  EXPECT_EQ(names["container"], 1);
  EXPECT_EQ(names["follow"], 1);
  EXPECT_EQ(names["name"], 0);
  const Value log = v2.Get({"paths", "/api/v1/namespaces/{namespace}/pods/{name}/log"});
  EXPECT_FALSE(log.Get("parameters").empty());
  for (const Value& parameter : log.Get("parameters").items()) {
    EXPECT_NE(parameter.Find("$ref") != nullptr, parameter.GetString("name") == "name");
  }
}

TEST_F(OpenApiTest, SaysWhichValuesThereAreWhereTheGateIsOn) {
  for (bool on : {false, true}) {
    const OpenApi described(table_, "1.32", base::SystemClock(), {.enums = on});
    EXPECT_EQ(described.DocumentV3("api/v1").contains(R"("enum":[)"), on);
    EXPECT_EQ(described.DocumentV2().contains(R"("enum":[)"), on);
  }
}

TEST_F(OpenApiTest, CborIsATypeOfVersionsWhereItsGateIsOn) {
  for (bool on : {false, true}) {
    OpenApi described(table_, "1.32", base::SystemClock(), {.cbor = on});
    const std::string v3 = described.DocumentV3("api/v1"), group = described.DocumentV3("apis/coordination.k8s.io");
    for (std::string_view type :
         {"\"application/cbor\"", "\"application/cbor-seq\"", "\"application/apply-patch+cbor\""}) {
      EXPECT_EQ(v3.contains(type), on) << type;
      EXPECT_EQ(described.DocumentV2().contains(type), on) << type;
      EXPECT_FALSE(group.contains(type)) << type;
    }
  }
}

TEST_F(OpenApiTest, IndexNamesEveryDocumentByItsHash) {
  exchange::Response index = Get("/openapi/v3");
  EXPECT_EQ(index.headers.Get("content-type"), "text/plain; charset=utf-8");
  std::string text = Body(index);
  Value paths = value::ReadJson(text, arena_)->Get("paths");
  ASSERT_TRUE(paths.Find("api/v1"));
  ASSERT_TRUE(paths.Find("apis/coordination.k8s.io"));
  std::string address(paths.Get("api/v1").GetString("serverRelativeURL"));
  exchange::Response document = Get("/openapi/v3/api/v1", {}, address.substr(address.find('?') + 1));
  EXPECT_EQ(document.status, 200);
  EXPECT_EQ(document.headers.Get("cache-control"), "public, immutable");
  EXPECT_EQ(Body(document), open_api_.DocumentV3("api/v1"));
  EXPECT_EQ(Get("/openapi/v3/api/v1", {}, "hash=0").status, 301);
  EXPECT_EQ(Get("/openapi/v3/api/v1", {}, "hash=0").headers.Get("location"), address);
}

TEST_F(OpenApiTest, AnswersConditionsAndTypes) {
  exchange::Response v2 = Get("/openapi/v2");
  std::string etag(v2.headers.Get("etag"));
  EXPECT_EQ(etag.size(), 130u);
  EXPECT_EQ(Get("/openapi/v2", {{"if-none-match", etag}}).status, 304);
  EXPECT_EQ(Get("/openapi/v2", {{"if-none-match", "\"x\""}}).status, 200);
  EXPECT_EQ(Get("/openapi/v2", {{"accept", "text/html"}}).status, 406);
  exchange::Response wire =
      Get("/openapi/v2",
          {{"accept", "application/json;q=0.5, application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}});
  EXPECT_EQ(wire.headers.Get("content-type"), "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_TRUE(
      Body(wire).starts_with("\x0a\x03"
                             "2.0"));
  exchange::Response packed = Get("/openapi/v2", {{"accept-encoding", "gzip"}});
  EXPECT_EQ(packed.headers.Get("content-encoding"), "gzip");
  EXPECT_LT(Body(packed).size(), Body(v2).size() / 4);
  EXPECT_EQ(Get("/openapi/v3/api/v1", {{"accept", "application/yaml"}}).status, 406);
  EXPECT_EQ(Get("/openapi/v3/apis/nothing/v1").status, 404);
  EXPECT_EQ(Get("/openapi/v3/").status, 404);
}

TEST_F(OpenApiTest, AnswersVersionThreeInItsBinaryForm) {
  const char* type = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";
  for (const char* accept :
       {type, "application/com.github.proto-openapi.spec.v3@v1.0+protobuf, application/json;q=0.1"}) {
    exchange::Response wire = Get("/openapi/v3/api/v1", {{"accept", accept}});
    EXPECT_EQ(wire.headers.Get("content-type"), type);
    EXPECT_EQ(wire.headers.Get("etag"), Get("/openapi/v3/api/v1").headers.Get("etag"));
    EXPECT_EQ(Body(wire), OpenApiV3ToWire(open_api_.DocumentV3("api/v1")));
    EXPECT_TRUE(
        Body(wire).starts_with("\x0a\x05"
                               "3.0.0"));
  }
  EXPECT_EQ(Get("/openapi/v3/api/v1", {{"accept", "*/*"}}).headers.Get("content-type"), "application/json");
}

TEST_F(OpenApiTest, AnswersNothingToWhoAsksForNoType) {
  exchange::Response nothing = Get("/openapi/v3/api/v1", {{"accept", "garbage"}});
  EXPECT_EQ(nothing.status, 200);
  EXPECT_EQ(nothing.headers.Get("vary"), "");
  EXPECT_EQ(Body(nothing), "");
  EXPECT_EQ(Get("/openapi/v2", {{"accept", "garbage"}}).status, 406);
}

TEST_F(OpenApiTest, TheIndexOfThisSecondIsNotTakenForUnchanged) {
  const std::string seen(Get("/openapi/v3").headers.Get("last-modified"));
  EXPECT_EQ(Get("/openapi/v3", {{"if-modified-since", seen}}).status, 200) << "a definition may have come since";
}

TEST_F(OpenApiTest, MeetsConditions) {
  for (const char* path : {"/openapi/v2", "/openapi/v3/api/v1", "/openapi/v3"}) {
    EXPECT_EQ(Get(path, {{"if-none-match", "*"}}).status, 304) << path;
    EXPECT_EQ(Get(path, {{"if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT"}}).status, 304) << path;
    EXPECT_EQ(Get(path, {{"if-unmodified-since", "Thu, 01 Jan 1970 00:00:00 GMT"}}).status, 412) << path;
    EXPECT_EQ(Get(path, {{"if-match", "\"x\""}}).status, 412) << path;
    EXPECT_EQ(Get(path, {{"if-match", "*"}}).status, 200) << path;
  }
}

// Messages as gnostic's: field numbers and lengths are the contract.
TEST(OpenApiWireTest, WritesSchemasOfVersionThree) {
  struct {
    const char* schema;
    std::string wire;
  } cases[] = {
      {R"({"type":"string","default":""})", std::string("\xca\x01\x06string\x8a\x02\x02\x1a\x00", 14)},
      {R"({"default":false})", std::string("\x8a\x02\x02\x10\x00", 5)},
      {R"({"default":{}})", std::string("\x8a\x02\x00", 3)},
      {R"({"default":2})", std::string("\x8a\x02\x09\x09\x00\x00\x00\x00\x00\x00\x00\x40", 12)},
      {R"({"allOf":[{"$ref":"#/a"}]})", "\xd2\x01\x07\x12\x05\x0a\x03#/a"},
      {R"({"enum":["a"]})",
       "\xc2\x01\x04\x12\x02"
       "a\x0a"},
      {R"({"items":{"$ref":"#/a"}})", "\xf2\x01\x09\x0a\x07\x12\x05\x0a\x03#/a"},
  };
  for (const auto& c : cases) {
    const std::string document = std::string(R"({"components":{"schemas":{"x":)") + c.schema + "}}}";
    const std::string wire = OpenApiV3ToWire(document);
    EXPECT_TRUE(wire.ends_with(c.wire)) << c.schema << testing::PrintToString(wire);
  }
}

}  // namespace
}  // namespace handlers
