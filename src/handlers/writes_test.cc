// create, update, patch, delete and deletecollection through the router.
#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "handlers/handlers_fixture.h"
#include "schema/wire.h"

namespace handlers {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kMaps = "/api/v1/namespaces/ns/configmaps";
const std::string kMap = kMaps + "/a";

class WritesTest : public ::testing::Test {
 protected:
  TestAnswer Patch(const std::string& target, const std::string& type, const std::string& body) {
    return f_.Ask("PATCH", target, body, {{"content-type", "application/" + type}});
  }
  void MakeA() { f_.Create(*f_.configmaps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})"); }
  Fixture f_;
};

TEST_F(WritesTest, CreateAnswersTheStoredObject) {
  TestAnswer answer = f_.Ask("POST", kMaps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, f_.Ask("GET", kMap).body);
}

TEST_F(WritesTest, BodiesAreReadByTheirType) {
  EXPECT_EQ(f_.Ask("POST", kMaps, "metadata: {name: z}\n", {{"content-type", "application/yaml"}}).status, 201);
  EXPECT_EQ(f_.Ask("POST", kMaps, "{}", {{"content-type", "text/plain"}}).status, 415);
  EXPECT_THAT(f_.Ask("POST", kMaps, "k8s", {{"content-type", "application/vnd.kubernetes.protobuf"}}).body,
              HasSubstr("expected prefix [107 56 115 0] (6b3873)"));
}

TEST_F(WritesTest, BodiesAreRefusedInTheApisWords) {
  struct {
    const char *body, *message;
  } cases[] = {
      {"",
       "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: "
       "unexpected end of JSON input (\\u003cempty\\u003e)"},
      {"{",
       "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: "
       "unexpected end of JSON input ({)"},
      {"[]",
       R"(json: cannot unmarshal array into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" } (5b5d))"},
      {R"({"kind":7})", "json: cannot unmarshal number into Go struct field .kind of type string"},
      {R"({"kind":"Secret"})",
       R"(Secret in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion)"},
      {R"({"kind":"Status","apiVersion":"apps/v2"})",
       R"(Status in version \"v2\" cannot be handled as a ConfigMap: converting (v1.Status) to (core.ConfigMap): unknown conversion)"},
      {R"({"kind":"ListOptions","apiVersion":"meta.k8s.io/v1"})",
       R"(no kind \"ListOptions\" is registered for version \"meta.k8s.io/v1\" in scheme)"},
      {R"({"apiVersion":"v2"})",
       R"(ConfigMap in version \"v2\" cannot be handled as a ConfigMap: no kind \"ConfigMap\" is registered for version \"v2\" in scheme)"},
      {R"({"apiVersion":"a/b/c"})", "unexpected GroupVersion string: a/b/c"},
      {R"({"data":7})",
       R"(ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string)"},
      {R"({"metadata":{"name":"x","namespace":"other"}})",
       "the namespace of the provided object does not match the namespace sent on the request"},
  };
  for (const auto& c : cases) {
    TestAnswer answer = f_.Ask("POST", kMaps, c.body);
    EXPECT_EQ(answer.status, 400) << c.body;
    EXPECT_THAT(answer.body, HasSubstr(c.message)) << c.body;
  }
}

TEST_F(WritesTest, AProtobufEnvelopeWithoutAVersionIsWhatTheRouteTakes) {
  value::Arena arena;
  const value::Value object = value::Value::Object(arena, 1), metadata = value::Value::Object(arena, 1);
  metadata.Add(arena, "name", value::Value::String("enveloped"));
  object.Add(arena, "metadata", metadata);
  std::string wire;
  schema::EncodeEnvelope(*schema::FindKind("", "v1", "ConfigMap"), "a/b/c", "ConfigMap", object, wire);
  EXPECT_EQ(f_.Ask("POST", kMaps, wire, {{"content-type", "application/vnd.kubernetes.protobuf"}}).status, 201);
}

TEST_F(WritesTest, OtherVersionsAreToldFromOtherKinds) {
  const std::string target = "/apis/apps/v1/namespaces/ns/deployments";
  EXPECT_THAT(
      f_.Ask("POST", target, R"({"apiVersion":"extensions/v1beta1","kind":"Deployment"})").body,
      HasSubstr("the API version in the data (extensions/v1beta1) does not match the expected API version (apps/v1)"));
  EXPECT_THAT(f_.Ask("POST", target, R"({"apiVersion":"apps/v1","kind":"ReplicaSet"})").body,
              HasSubstr("converting (v1.ReplicaSet) to (apps.Deployment): unknown conversion"));
}

TEST_F(WritesTest, UnknownFieldsCountAsAskedFor) {
  const std::string body = R"({"metadata":{"name":"NAME"},"bogus":1,"data":{"a":"1"},"data":{"b":"1"}})";
  auto named = [&](const std::string& name) { return std::string(body).replace(body.find("NAME"), 4, name); };
  TestAnswer strict = f_.Ask("POST", kMaps + "?fieldValidation=Strict", named("s"));
  EXPECT_EQ(strict.status, 400);
  EXPECT_THAT(strict.body, HasSubstr(R"(strict decoding error: unknown field \"bogus\", duplicate field \"data\")"));
  EXPECT_EQ(f_.Ask("POST", kMaps, named("w")).status, 201);
  EXPECT_THAT(f_.sent_warnings, ElementsAre("unknown field \"bogus\"", "duplicate field \"data\""));
  EXPECT_EQ(f_.Ask("POST", kMaps + "?fieldValidation=Ignore", named("i")).status, 201);
  EXPECT_THAT(f_.sent_warnings, IsEmpty());
}

TEST_F(WritesTest, TooLargeBodiesAreRefused) {
  exchange::Request request = f_.NewRequest("POST", kMaps, "{}");
  request.body_too_large = true;
  EXPECT_EQ(f_.Send(std::move(request)).status, 413);
}

TEST_F(WritesTest, UpdateHoldsToTheName) {
  MakeA();
  EXPECT_THAT(f_.Ask("PUT", kMap, R"({"metadata":{"name":"a"},"data":{"k":"2"}})").body,
              HasSubstr(R"("data":{"k":"2"})"));
  EXPECT_THAT(f_.Ask("PUT", kMap, R"({"metadata":{"name":"b"}})").body,
              HasSubstr("the name of the object (b) does not match the name on the URL (a)"));
  EXPECT_THAT(f_.Ask("PUT", kMap, "{}").body,
              HasSubstr("the name of the object (a based on URL) was undeterminable: name must be provided"));
  EXPECT_EQ(f_.Ask("PUT", kMaps + "/none", R"({"metadata":{"name":"none"}})").status, 404);
}

TEST_F(WritesTest, DryRunsStoreNothing) {
  EXPECT_EQ(f_.Ask("POST", kMaps + "?dryRun=All", R"({"metadata":{"name":"a"}})").status, 201);
  EXPECT_EQ(f_.Ask("GET", kMap).status, 404);
}

TEST_F(WritesTest, DryRunsOfWhatIsTooLargeTellNoOwners) {
  std::string labels;
  for (int i = 0; i < 150000; ++i) labels += base::Cat(i == 0 ? "" : ",", "\"label-", i, "\":\"\"");
  const TestAnswer large =
      f_.Ask("POST", kMaps + "?dryRun=All", base::Cat(R"({"metadata":{"name":"a","labels":{)", labels, "}}}"));
  EXPECT_EQ(large.status, 201);
  EXPECT_EQ(large.body.find("managedFields"), large.body.npos);
  // Long as JSON, and not as what is measured.
  const std::string angles(900000, '<');
  EXPECT_EQ(
      f_.Ask("POST", kMaps + "?dryRun=All", base::Cat(R"({"metadata":{"name":"a"},"data":{"a":")", angles, "\"}}"))
          .status,
      201);
}

TEST_F(WritesTest, PatchesChangeTheObject) {
  MakeA();
  EXPECT_THAT(Patch(kMap, "merge-patch+json", R"({"data":{"m":"1","k":null}})").body, HasSubstr(R"("data":{"m":"1"})"));
  EXPECT_THAT(Patch(kMap, "json-patch+json", R"([{"op":"add","path":"/data/j","value":"1"}])").body,
              HasSubstr(R"("data":{"j":"1","m":"1"})"));
  EXPECT_THAT(Patch(kMap, "strategic-merge-patch+json", R"({"metadata":{"labels":{"s":"1"}}})").body,
              HasSubstr(R"("labels":{"s":"1"})"));
  TestAnswer applied = Patch(kMaps + "/new?fieldManager=m", "apply-patch+yaml",
                             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {a: b}\n");
  EXPECT_EQ(applied.status, 201) << applied.body;
  EXPECT_THAT(applied.body, HasSubstr(R"("data":{"a":"b"})"));
}

TEST_F(WritesTest, PatchesAreRefusedInTheApisWords) {
  MakeA();
  struct {
    const char *name, *type, *body;
    int status;
    const char* message;
  } cases[] = {
      {"none", "merge-patch+json", "{", 404, "not found"},
      {"a", "merge-patch+json", "", 400, "error decoding patch: unexpected end of JSON input"},
      {"a", "merge-patch+json", "[]", 400,
       "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"},
      {"a", "merge-patch+json", "null", 400, "Invalid JSON Patch"},
      {"a", "merge-patch+json", R"({"kind":"Secret","data":null})", 422,
       "converting (v1.Secret) to (core.ConfigMap): unknown conversion"},
      {"a", "merge-patch+json", R"({"kind":"Secret","data":{"x":"1"}})", 422, "illegal base64 data at input byte 0"},
      {"a", "merge-patch+json", R"({"data":"x"})", 422,
       "json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string"},
      {"a", "merge-patch+json", R"({"metadata":{"name":"b"}})", 400,
       "the name of the object (b) does not match the name on the URL (a)"},
      {"a", "json-patch+json", R"({"op":"add"})", 400,
       "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"},
      {"a", "json-patch+json", R"([{"op":7}])", 400,
       "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"},
      {"a", "json-patch+json", R"([{"op":"test","path":"/kind","value":"x"}])", 422,
       "the server rejected our request due to an error in our request"},
      {"a", "strategic-merge-patch+json", R"({"metadata":{"labels":["a"]}})", 422, "cannot restore map from slice"},
      {"a", "strategic-merge-patch+json", R"({"data":0})", 422, "cannot restore map from int64"},
      {"a", "strategic-merge-patch+json", R"({"binaryData":{"a":"b"}})", 422,
       "error decoding from json: illegal base64 data at input byte 0"},
      {"a", "apply-patch+yaml", "kind: Secret\napiVersion: v1\n", 422,
       "fieldManager: Required value: is required for apply patch"},
      {"a", "json", "{}", 415, "415: Unsupported Media Type"},
  };
  for (const auto& c : cases) {
    TestAnswer answer = f_.Ask("PATCH", kMaps + "/" + c.name, c.body,
                               {{"content-type", std::string("application/") + c.type}, {"content-length", "1"}});
    EXPECT_EQ(answer.status, c.status) << c.type << " " << c.body << " " << answer.body;
    EXPECT_THAT(answer.body, HasSubstr(c.message)) << c.type << " " << c.body;
  }
  EXPECT_THAT(Patch(kMap + "?fieldManager=m", "apply-patch+yaml", "kind: Secret\napiVersion: v1\n").body,
              HasSubstr("invalid object type: /v1, Kind=Secret"));
}

TEST_F(WritesTest, PatchesThatNobodyLooksThrough) {
  MakeA();
  struct {
    const char* type;
    const char* body;
    const char* message;
  } cases[] = {
      {"json-patch+json", "{}", R"("json: cannot unmarshal object into Go value of type jsonpatch.Patch")"},
      {"json-patch+json", "[5]", R"("json: cannot unmarshal number into Go value of type jsonpatch.Operation")"},
      {"json-patch+json", "{", R"("unexpected end of JSON input")"},
      {"merge-patch+json", "5", R"("Invalid JSON Patch")"},
      {"merge-patch+json", "{", R"("Invalid JSON Patch")"},
      {"merge-patch+json", "[5]",
       R"(Invalid value: \"[5]\": couldn't get version/kind; json parse error: json: cannot unmarshal array)"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(Patch(kMap + "?fieldValidation=Ignore", c.type, c.body).body, HasSubstr(c.message)) << c.body;
  }
}

TEST_F(WritesTest, APatchThatTakesTheVersionLeavesNothing) {
  MakeA();
  TestAnswer answer = Patch(kMap, "merge-patch+json", R"({"apiVersion":null})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("was undeterminable: name must be provided"));
  EXPECT_THAT(f_.sent_warnings, ElementsAre("unknown field \"data\"", "unknown field \"metadata\""));
}

TEST_F(WritesTest, StrictPatchesNameWhatIsUnknown) {
  MakeA();
  EXPECT_THAT(
      Patch(kMap + "?fieldValidation=Strict", "merge-patch+json", R"({"bogus":1,"data":{"x":"1","x":"2"}})").body,
      HasSubstr(R"(strict decoding error: duplicate field \"data.x\", unknown field \"bogus\")"));
  EXPECT_EQ(Patch(kMap, "merge-patch+json", R"({"bogus":1})").status, 200);
  EXPECT_THAT(f_.sent_warnings, ElementsAre("unknown field \"bogus\""));
}

TEST_F(WritesTest, DeletionAnswersAStatus) {
  MakeA();
  TestAnswer answer = f_.Ask("DELETE", kMap);
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(
      answer.body,
      StartsWith(
          R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"configmaps","uid":")"));
  EXPECT_EQ(f_.Ask("DELETE", kMap).status, 404);
}

TEST_F(WritesTest, DeletionThatWaitsAnswersTheObject) {
  f_.Create(*f_.configmaps, R"({"metadata":{"name":"a","finalizers":["x.io/f"]}})");
  TestAnswer answer = f_.Ask("DELETE", kMap + "?orphanDependents=false");
  EXPECT_EQ(answer.status, 202);
  EXPECT_THAT(answer.body, HasSubstr("deletionTimestamp"));
}

TEST_F(WritesTest, DeleteOptionsInTheBodyBeatTheQuery) {
  MakeA();
  EXPECT_EQ(f_.Ask("DELETE", kMap + "?dryRun=All", R"({"dryRun":["All"]})").status, 200);
  EXPECT_EQ(f_.Ask("GET", kMap).status, 200);
  EXPECT_EQ(f_.Ask("DELETE", kMap, R"({"dryRun":"x"})").status, 500);
  EXPECT_EQ(f_.Ask("DELETE", kMap, R"({"preconditions":{"uid":"other"}})").status, 409);
  EXPECT_EQ(f_.Ask("DELETE", kMap + "?dryRun=All", "{}").status, 200);  // the query counts no more
  EXPECT_EQ(f_.Ask("GET", kMap).status, 404);
}

TEST_F(WritesTest, BodiesThatAreNoDeleteOptionsAreTheServersFault) {
  MakeA();
  struct {
    const char *body, *message;
  } cases[] = {
      {R"({"kind":"ConfigMap"})", R"(no kind \"ConfigMap\" is registered for version \"meta.k8s.io/v1\" in scheme)"},
      {R"({"kind":"ConfigMap","apiVersion":"v1"})",
       R"(no kind \"ConfigMap\" is registered for version \"v1\" in scheme)"},
      {R"({"kind":"ListOptions"})", "converting (v1.ListOptions) to (v1.DeleteOptions): unknown conversion"},
      {R"({"kind":"ListOptions","apiVersion":"v1"})", R"(no kind \"ListOptions\" is registered for version \"v1\")"},
      {R"({"kind":"Status","apiVersion":"apps/v9"})",
       "converting (v1.Status) to (v1.DeleteOptions): unknown conversion"},
  };
  for (const auto& c : cases) {
    TestAnswer answer = f_.Ask("DELETE", kMap, c.body);
    EXPECT_EQ(answer.status, 500) << c.body;
    EXPECT_THAT(answer.body, HasSubstr(c.message)) << c.body;
  }
  EXPECT_EQ(f_.Ask("DELETE", kMaps + "?fieldSelector=a%3Db", R"({"kind":"ConfigMap"})").status, 400);
}

TEST_F(WritesTest, PathsWithoutANamespaceOrANameAreRefused) {
  MakeA();
  const std::string nowhere = "/api/v1/namespaces//configmaps";
  EXPECT_THAT(f_.Ask("GET", nowhere).body, HasSubstr("\"name\":\"a\""));
  EXPECT_THAT(f_.Ask("GET", nowhere + "/a").body, HasSubstr("Namespace parameter required."));
  EXPECT_THAT(f_.Ask("DELETE", nowhere).body, HasSubstr("Namespace parameter required."));
  EXPECT_EQ(f_.Ask("DELETE", nowhere + "?labelSelector=none").status, 200);  // where there is nothing to name
  EXPECT_THAT(f_.Ask("POST", nowhere, R"({"metadata":{"name":"b"}})").body,
              HasSubstr("metadata.namespace: Required value"));
  EXPECT_THAT(f_.Ask("GET", "/apis/apps/v1/namespaces/ns/deployments//scale").body, HasSubstr("name must be provided"));
}

TEST_F(WritesTest, AskedInADryRunTheStoreNamesItsKeysWithoutItsOwn) {
  MakeA();
  const std::string body = R"({"metadata":{"name":"a","uid":"x"}})";
  EXPECT_THAT(f_.Ask("PUT", kMap, body).body, HasSubstr("Key: /registry/configmaps/ns/a,"));
  EXPECT_THAT(f_.Ask("PUT", kMap + "?dryRun=All", body).body, HasSubstr("Key: /configmaps/ns/a,"));
}

TEST_F(WritesTest, RepeatedOwnersAreLeftOnceWithAWarning) {
  MakeA();
  const std::string body =
      R"({"metadata":{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"P","name":"p","uid":"u"},
      {"apiVersion":"v1","kind":"P","name":"p","uid":"u"}]}})";
  f_.Ask("PUT", kMap, body);
  EXPECT_THAT(f_.sent_warnings, ElementsAre(HasSubstr("duplicate entries; API server")));
  const std::string meant = R"({"metadata":{"name":"a","uid":"x",)" + body.substr(body.find("\"ownerReferences"));
  EXPECT_EQ(f_.Ask("PUT", kMap, meant).status, 409);
  EXPECT_THAT(f_.sent_warnings, ElementsAre(HasSubstr("duplicate entries; API server")));  // refused, and told
  Patch(kMap, "merge-patch+json", body);
  EXPECT_THAT(f_.sent_warnings,
              ElementsAre(HasSubstr("duplicate entries after mutating admission happens; API server")));
}

TEST_F(WritesTest, DeletingACollectionAnswersWhatWasThere) {
  MakeA();
  f_.Create(*f_.configmaps, R"({"metadata":{"name":"b"}})");
  TestAnswer answer = f_.Ask("DELETE", kMaps);
  EXPECT_THAT(answer.body, StartsWith(R"({"kind":"ConfigMapList")"));
  EXPECT_THAT(answer.body, HasSubstr("\"name\":\"b\""));
  EXPECT_THAT(f_.Ask("GET", kMaps).body, EndsWith("\"items\":[]}\n"));
}

TEST_F(WritesTest, ScalesSeeAndSetReplicas) {
  f_.Create(*f_.deployments, R"({"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"},
      "matchExpressions":[{"key":"c","operator":"In","values":["y","x"]},{"key":"z","operator":"DoesNotExist"}]}}})");
  const std::string scale = "/apis/apps/v1/namespaces/ns/deployments/d/scale";
  EXPECT_THAT(f_.Ask("GET", scale).body,
              HasSubstr(R"("spec":{"replicas":2},"status":{"replicas":0,"selector":"a=b,c in (x,y),!z"}})"));
  EXPECT_THAT(Patch(scale, "merge-patch+json", R"({"spec":{"replicas":5}})").body,
              HasSubstr(R"("spec":{"replicas":5})"));
  EXPECT_THAT(f_.Ask("PUT", scale, R"({"metadata":{"name":"d"},"spec":{"replicas":3}})").body,
              HasSubstr(R"("spec":{"replicas":3})"));
  EXPECT_THAT(f_.Ask("GET", "/apis/apps/v1/namespaces/ns/deployments/d").body, HasSubstr(R"("replicas":3)"));
  EXPECT_THAT(
      Patch(scale, "merge-patch+json", R"({"spec":{"replicas":-1}})").body,
      HasSubstr(
          R"(Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0)"));
  EXPECT_THAT(f_.Ask("GET", "/apis/apps/v1/namespaces/ns/deployments/none/scale").body,
              HasSubstr(R"(deployments/scale.apps \"none\" not found)"));
}

TEST_F(WritesTest, AScaleThatCannotBeReadIsNotThere) {
  f_.Create(*f_.deployments, R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}}}})");
  EXPECT_THAT(f_.Ask("GET", "/apis/apps/v1/namespaces/ns/deployments/d/scale?resourceVersion=x").body,
              HasSubstr(R"(deployments/scale.apps \"d\" not found)"));
}

TEST_F(WritesTest, ADryRunShowsTheLinkThatNobodyStores) {
  MakeA();
  const std::string body = R"({"metadata":{"selfLink":"/x","labels":{"l":"m"}}})";
  EXPECT_THAT(Patch(kMap + "?dryRun=All", "merge-patch+json", body).body, HasSubstr("\"selfLink\":\"/x\""));
  EXPECT_THAT(Patch(kMap, "merge-patch+json", body).body, Not(HasSubstr("selfLink")));
}

TEST_F(WritesTest, ScalingTakesOwnershipOfTheReplicas) {
  const std::string deployment = "/apis/apps/v1/namespaces/ns/deployments";
  f_.Ask("POST", deployment + "?fieldManager=maker",
         R"({"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}}}})");
  TestAnswer scaled =
      Patch(deployment + "/d/scale?fieldManager=scaler", "merge-patch+json", R"({"spec":{"replicas":5}})");
  EXPECT_THAT(scaled.body, Not(HasSubstr("managedFields")));
  std::string body = f_.Ask("GET", deployment + "/d").body;
  EXPECT_THAT(body,
              HasSubstr(R"({"manager":"scaler","operation":"Update","apiVersion":"apps/v1","fieldsType":"FieldsV1",)"
                        R"("fieldsV1":{"f:spec":{"f:replicas":{}}},"subresource":"scale"})"));
  EXPECT_THAT(body.substr(body.find("\"maker\"")), Not(HasSubstr("f:replicas")));
}

TEST_F(WritesTest, AnUnacceptableAcceptStopsAWriteBeforeItsEffect) {
  EXPECT_EQ(f_.Ask("POST", kMaps, R"({"metadata":{"name":"a"}})", {{"accept", "application/xml"}}).status, 406);
  EXPECT_EQ(f_.Ask("GET", kMap).status, 404);
}

}  // namespace
}  // namespace handlers
