#include "schema/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/quantity.h"
#include "schema/encode.h"
#include "schema/text_forms.h"
#include "value/arena.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace schema {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Type& Kind(std::string_view group, std::string_view version, std::string_view kind) {
  const Type* type = FindKind(group, version, kind);
  EXPECT_NE(type, nullptr) << kind;
  return *type;
}
const Type& CoreKind(std::string_view kind) { return Kind("", "v1", kind); }

class DecodeTest : public testing::Test {
 protected:
  // The canonical tree as plain JSON, or the error's text.
  std::string Tree(const Type& type, std::string_view json, Findings* findings = nullptr) {
    auto document = value::ReadJson(json, arena_);
    if (!document) return document.error().message;
    auto tree = Decode(type, *document, arena_, findings);
    return tree ? value::ToJson(*tree) : tree.error().message;
  }
  std::string Encoded(const Type& type, std::string_view json) {
    auto tree = Decode(type, *value::ReadJson(json, arena_), arena_, nullptr);
    if (!tree) return tree.error().message;
    std::string out;
    EncodeJson(type, *tree, out);
    return out;
  }
  value::Arena arena_;
};

TEST_F(DecodeTest, TellsWrongTypesAsGoDoes) {
  struct Case {
    const char* kind;
    const char* json;
    const char* error;
  };
  const Case cases[] = {
      {"ConfigMap", R"({"metadata":"x"})",
       "json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta"},
      {"ConfigMap", R"({"metadata":{"name":1}})",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string"},
      {"ConfigMap", R"({"metadata":{"labels":{"x":1}}})",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string"},
      {"ConfigMap", R"({"metadata":{"labels":[]}})",
       "json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string"},
      {"ConfigMap", R"({"data":{"x":{"y":"z"}}})",
       "json: cannot unmarshal object into Go struct field ConfigMap.data of type string"},
      {"ConfigMap", R"({"immutable":"true"})",
       "json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool"},
      {"ConfigMap", R"({"metadata":{"generation":1.5}})",
       "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64"},
      {"ConfigMap", R"({"metadata":{"uid":7}})",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.uid of type types.UID"},
      {"ConfigMap", R"("x")", "json: cannot unmarshal string into Go value of type v1.ConfigMap"},
      {"ConfigMap", R"({"binaryData":{"x":"###"}})", "illegal base64 data at input byte 0"},
      {"Secret", R"({"data":{"a":true}})",
       "json: cannot unmarshal bool into Go struct field Secret.data of type []uint8"},
      {"Secret", R"({"data":{"a":["x"]}})",
       "json: cannot unmarshal string into Go struct field Secret.data of type uint8"},
      {"Secret", R"({"data":{"a":[256]}})",
       "json: cannot unmarshal number 256 into Go struct field Secret.data of type uint8"},
      {"Pod", R"({"spec":{"containers":{}}})",
       "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container"},
      {"Pod", R"({"spec":{"containers":["x"]}})",
       "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container"},
      {"Pod", R"({"spec":{"containers":[{"env":[{"value":1}]}]}})",
       "json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string"},
      {"Pod", R"({"spec":{"containers":[{"readinessProbe":{"httpGet":{"port":80.5}}}]}})",
       "json: cannot unmarshal number 80.5 into Go struct field "
       "HTTPGetAction.spec.containers.readinessProbe.httpGet.port of type int32"},
      {"Pod", R"({"spec":{"priority":4294967296}})",
       "json: cannot unmarshal number 4294967296 into Go struct field PodSpec.spec.priority of type int32"},
      {"Pod", R"({"spec":{"activeDeadlineSeconds":9223372036854775808}})",
       "json: cannot unmarshal number 9223372036854775808 into Go struct field PodSpec.spec.activeDeadlineSeconds of "
       "type int64"},
      {"Pod", R"({"spec":{"priority":1e3}})",
       "json: cannot unmarshal number 1e3 into Go struct field PodSpec.spec.priority of type int32"},
      {"Pod", R"({"spec":{"restartPolicy":true}})",
       "json: cannot unmarshal bool into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy"},
      {"Pod", R"({"spec":{"containers":[{"resources":{"limits":{"cpu":"x"}}}]}})",
       "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
      {"Service", R"({"spec":{"ports":[{"targetPort":{}}]}})",
       "json: cannot unmarshal object into Go struct field ServicePort.spec.ports.targetPort of type int32"},
      {"ConfigMap", R"({"metadata":{"creationTimestamp":"yesterday"}})",
       "parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"yesterday\" as \"2006\""},
      {"ConfigMap", R"({"metadata":{"creationTimestamp":1}})",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.json);
    EXPECT_EQ(Tree(CoreKind(c.kind), c.json), c.error);
  }
}

TEST_F(DecodeTest, TellsTheFirstSoftErrorButHardErrorsBeforeIt) {
  EXPECT_EQ(Tree(CoreKind("Pod"), R"({"spec":{"priority":"a","nodeName":1}})"),
            "json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32");
  EXPECT_EQ(Tree(CoreKind("Pod"), R"({"metadata":{"name":1,"creationTimestamp":"x"}})"),
            "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"");
}

TEST_F(DecodeTest, MakesTheCanonicalTree) {
  struct Case {
    const char* name;
    const char* kind;
    const char* json;
    const char* tree;
  };
  const Case cases[] = {
      {"order and unknown members", "ConfigMap", R"({"data":{"b":"1","a":"2"},"x":1,"metadata":{"name":"n"}})",
       R"({"metadata":{"name":"n"},"data":{"a":"2","b":"1"}})"},
      {"zero values", "Pod", R"({"spec":{"nodeName":"","hostNetwork":false,"priority":0},"status":{}})",
       R"({"spec":{"priority":0}})"},
      {"null", "ConfigMap", R"({"metadata":null,"data":null,"immutable":null,"kind":null})", "{}"},
      {"null as an item", "ConfigMap", R"({"data":{"a":null}})", R"({"data":{"a":""}})"},
      {"empty is not null", "Pod", R"({"spec":{"containers":[],"tolerations":[]}})",
       R"({"spec":{"containers":[],"tolerations":[]}})"},
      {"pointer to an empty struct", "Pod", R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
       R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})"},
      {"quantities", "Pod", R"({"spec":{"overhead":{"cpu":"0.5","memory":1024,"x":"1.0"}}})",
       R"({"spec":{"overhead":{"cpu":"500m","memory":"1024","x":"1"}}})"},
      {"times", "ConfigMap", R"({"metadata":{"creationTimestamp":"2020-01-01T01:00:00.5+01:00"}})",
       R"({"metadata":{"creationTimestamp":"2020-01-01T00:00:00Z"}})"},
      {"zero time", "ConfigMap", R"({"metadata":{"creationTimestamp":"0001-01-01T00:00:00Z"}})", "{}"},
      {"bytes", "Secret", R"({"data":{"a":"aGk=","b":"aG\nk=","c":[104,105],"d":null,"e":[]}})",
       R"({"data":{"a":"aGk=","b":"aGk=","c":"aGk=","d":null,"e":""}})"},
      {"int or string", "Service",
       R"({"spec":{"ports":[{"port":1,"targetPort":"x"},{"port":2,"targetPort":3},{"targetPort":0}]}})",
       R"({"spec":{"ports":[{"port":1,"targetPort":"x"},{"port":2,"targetPort":3},{}]}})"},
      {"repeated struct merges", "ConfigMap",
       R"({"metadata":{"name":"a","labels":{"x":"1"}},"metadata":{"namespace":"b","labels":{"y":"2"}}})",
       R"({"metadata":{"name":"a","namespace":"b","labels":{"x":"1","y":"2"}}})"},
      {"repeated list is replaced", "ConfigMap", R"({"metadata":{"finalizers":["a","b"],"finalizers":["c"]}})",
       R"({"metadata":{"finalizers":["c"]}})"},
      {"repeated items merge in place", "Pod",
       R"({"spec":{"containers":[{"name":"a","image":"i"}],"containers":[{"name":"b"}]}})",
       R"({"spec":{"containers":[{"name":"b","image":"i"}]}})"},
      {"repeated scalar, then null", "ConfigMap", R"({"metadata":{"name":"a"},"metadata":{"name":null}})",
       R"({"metadata":{"name":"a"}})"},
      {"repeated map key", "ConfigMap", R"({"data":{"a":"1","a":"2"}})", R"({"data":{"a":"2"}})"},
      {"case matters", "ConfigMap", R"({"Data":{"a":"1"},"metadata":{"Name":"x"}})", "{}"},
      {"inline members", "Pod",
       R"({"spec":{"containers":[{"name":"c","livenessProbe":{"periodSeconds":1,"exec":{"command":["x"]}}}]}})",
       R"({"spec":{"containers":[{"name":"c","livenessProbe":{"exec":{"command":["x"]},"periodSeconds":1}}]}})"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Tree(CoreKind(c.kind), c.json), c.tree);
  }
}

TEST_F(DecodeTest, RemembersAmountsThatWereWrittenOtherwise) {
  struct {
    const char *sent, *source;
  } const cases[] = {
      {R"({"cpu":"500m","memory":"1Gi"})", ""},
      {R"({"memory":"1Gi","cpu":"0.5"})", R"({"memory":"1Gi","cpu":"0.5"})"},
      {R"({"cpu": 1.50})", R"({"cpu":1.5})"},
  };
  for (const auto& c : cases) {
    value::Arena arena;
    const std::string sent = std::string(R"({"spec":{"containers":[],"overhead":)") + c.sent + "}}";
    const auto pod = Decode(*FindKind("", "v1", "Pod"), *value::ReadJson(sent, arena), arena, nullptr);
    ASSERT_TRUE(pod.has_value());
    EXPECT_EQ(pod->Get({"spec", "overhead"}).source(), c.source);
    EXPECT_EQ(pod->Get("spec").source(), "");
  }
}

TEST_F(DecodeTest, FindsUnknownAndRepeatedMembersInDocumentOrder) {
  Findings findings;
  Tree(
      CoreKind("Pod"),
      R"({"x":1,"metadata":{"name":"a","name":"b","labels":{"k":"1","k":"2"}},"spec":{"containers":[{"a":1},{"b":{"c":1},"b":2}],)"
      R"("volumes":[{"name":"v","emptyDir":{"u":1}}]},"x":2,"metadata":{}})",
      &findings);
  EXPECT_THAT(findings.in_order,
              ElementsAre(R"(unknown field "x")", R"(duplicate field "metadata.name")",
                          R"(duplicate field "metadata.labels.k")", R"(unknown field "spec.containers[0].a")",
                          R"(unknown field "spec.containers[1].b")", R"(unknown field "spec.volumes[0].emptyDir.u")",
                          R"(duplicate field "metadata")"));
  EXPECT_EQ(findings.unknown.size(), 4u);
  EXPECT_EQ(findings.duplicate.size(), 3u);
}

TEST_F(DecodeTest, ListsNoMoreFindingsThanTheRealServer) {
  std::string json = "{";
  for (int i = 0; i < 150; ++i) json += (i ? ",\"u" : "\"u") + std::to_string(i) + "\":1";
  Findings findings;
  Tree(CoreKind("ConfigMap"), json + "}", &findings);
  EXPECT_EQ(findings.in_order.size(), kMaxFindings);
}

TEST_F(DecodeTest, ReadsSchemasOfDefinitions) {
  const Type& type = *FindType("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  struct Case {
    const char* json;
    const char* encoded;
  };
  const Case cases[] = {
      {R"({"items":{"type":"string"}})", R"({"items":{"type":"string"}})"},
      {R"({"items":[{"type":"string"},{}]})", R"({"items":[{"type":"string"},{}]})"},
      {R"({"items":7})", R"({"items":null})"},
      {R"({"additionalProperties":true,"additionalItems":{"type":"a"}})",
       R"({"additionalProperties":true,"additionalItems":{"type":"a"}})"},
      {R"({"additionalProperties":"x"})", "boolean or JSON schema expected"},
      {R"({"dependencies":{"a":["b"],"c":{"type":"d"}}})", R"({"dependencies":{"a":["b"],"c":{"type":"d"}}})"},
      {R"({"default":{"b":1.50,"a":[1e2]},"maximum":1.0})", R"({"default":{"a":[100],"b":1.5},"maximum":1})"},
      {R"({"default":[1e400]})", "json: cannot unmarshal number 1e400 into Go value of type float64"},
      {R"({"properties":{"x":{"items":{"title":1}}}})",
       "json: cannot unmarshal number into Go struct field JSONSchemaProps.properties.items of type string"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.json);
    EXPECT_EQ(Encoded(type, c.json), c.encoded);
  }
  Findings findings;
  Tree(type, R"({"items":{"nope":1},"nope":2})", &findings);
  EXPECT_THAT(findings.in_order, ElementsAre(R"(unknown field "nope")"));
}

TEST_F(DecodeTest, BoundsDepth) {
  const Type& type = *FindType("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  auto nested = [](size_t depth) {
    std::string json;
    for (size_t i = 0; i < depth; ++i) json += R"({"not":)";
    return json + "{}" + std::string(depth, '}');
  };
  EXPECT_EQ(Tree(type, nested(kMaxDepth)), nested(kMaxDepth));
  EXPECT_EQ(Tree(type, nested(kMaxDepth + 1)), "exceeded max depth");
}

TEST_F(DecodeTest, WritesWhatGoWrites) {
  struct Case {
    const char* name;
    const Type& type;
    const char* json;
    const char* encoded;
  };
  const Case cases[] = {
      {"header and zero time", CoreKind("ConfigMap"), R"({"metadata":{"name":"a"}})",
       R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":null}})"},
      {"required list", CoreKind("Pod"), R"({"metadata":{"name":"a"}})",
       R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":null},"spec":{"containers":null},"status":{}})"},
      {"what the stored form does not keep", CoreKind("Pod"), R"({"spec":{"containers":[],"tolerations":[]}})",
       R"({"kind":"Pod","apiVersion":"v1","metadata":{"creationTimestamp":null},"spec":{"containers":null},"status":{}})"},
      {"raw objects keep their numbers and order", Kind("apps", "v1", "ControllerRevision"),
       R"({"data":{"b":1.0,"a":"<"},"revision":1})",
       R"({"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"creationTimestamp":null},"data":{"b":1.0,"a":"\u003c"},"revision":1})"},
      {"sent kind wins", Kind("apps", "v1", "Deployment"), R"({"kind":"Deployment","apiVersion":"x/v1"})",
       R"({"kind":"Deployment","apiVersion":"x/v1","metadata":{"creationTimestamp":null},"spec":{"selector":null,"template":)"
       R"({"metadata":{"creationTimestamp":null},"spec":{"containers":null}},"strategy":{}},"status":{}})"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Encoded(c.type, c.json), c.encoded);
  }
}

TEST_F(DecodeTest, StoresWhatOnlyTheWireFormTellsApart) {
  struct Case {
    const char* name;
    const Type& type;
    const char* json;
    const char *encoded, *stored;  // from metadata on
  };
  const Type& hooks = Kind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration");
  const Type& service = Kind("apiregistration.k8s.io", "v1", "APIService");
  const Case cases[] = {
      {"bytes that are left out", hooks, R"({"webhooks":[{"clientConfig":{"caBundle":""}}]})",
       R"("webhooks":[{"name":"","clientConfig":{},"sideEffects":null,"admissionReviewVersions":null}]})",
       R"("webhooks":[{"name":"","clientConfig":{"caBundle":""},"sideEffects":null,"admissionReviewVersions":null}]})"},
      {"null bytes in a map", CoreKind("Secret"), R"({"data":{"a":null,"b":""}})", R"("data":{"a":"","b":""}})",
       R"("data":{"a":[],"b":""}})"},
      {"stored as JSON", service, R"({"spec":{"caBundle":""}})",
       R"("spec":{"groupPriorityMinimum":0,"versionPriority":0},"status":{}})",
       R"("spec":{"groupPriorityMinimum":0,"versionPriority":0},"status":{}})"},
      {"white space", Kind("apps", "v1", "ControllerRevision"), R"({"data":{ "a" : 1 },"revision":1})",
       R"("data":{"a":1},"revision":1})", R"("data":{ "a" : 1 },"revision":1})"},
      {"a zero time that is set", Kind("coordination.k8s.io", "v1", "Lease"),
       R"({"spec":{"renewTime":"0001-01-01T00:00:00.000000Z"}})", R"("spec":{"renewTime":null}})",
       R"("spec":{"renewTime":"0001-01-01T00:00:00.000000Z"}})"},
      {"zero times that are set, and not", Kind("apps", "v1", "Deployment"),
       R"({"spec":{"template":{"metadata":{"deletionTimestamp":"0001-01-01T00:00:00Z","creationTimestamp":null}}}})",
       R"("template":{"metadata":{"creationTimestamp":null,"deletionTimestamp":null},"spec":{"containers":null}},"strategy":{}},"status":{}})",
       R"("template":{"metadata":{"creationTimestamp":null,"deletionTimestamp":"0001-01-01T00:00:00Z"},"spec":{"containers":null}},"strategy":{}},"status":{}})"},
      {"nothing of it", CoreKind("Secret"), R"({"data":{"a":"aGk="}})", R"("data":{"a":"aGk="}})",
       R"("data":{"a":"aGk="}})"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto tree = Decode(c.type, *value::ReadJson(c.json, arena_), arena_, nullptr);
    std::string encoded, stored;
    bool escaped = false;
    EncodeJson(c.type, *tree, encoded);
    EncodeStored(c.type, *tree, stored, nullptr, &escaped);
    EXPECT_THAT(encoded, testing::EndsWith(c.encoded));
    EXPECT_THAT(stored, testing::EndsWith(c.stored));
    EXPECT_EQ(escaped, std::string_view(c.encoded) != c.stored);
    const auto again = Decode(c.type, *value::ReadJson(stored, arena_), arena_, nullptr);
    std::string shown;
    EncodeJson(c.type, *again, shown);
    EXPECT_EQ(shown, encoded);
  }
}

// Each level once, however many levels left it.
TEST_F(DecodeTest, EncodesDeepTreesThatLeftTheirOrder) {
  const Type& type = *FindType("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  std::string expected = "{}", json;
  value::Value schema = value::Value::Object(arena_);
  for (int depth = 0; depth < 60; ++depth) {
    value::Value above = value::Value::Object(arena_);
    above.Add(arena_, "not", schema);
    above.Add(arena_, "description", value::Value::String("d"));
    schema = above;
    expected = R"({"description":"d","not":)" + expected + "}";
  }
  EncodeJson(type, schema, json);
  EXPECT_EQ(json, expected);
}

TEST_F(DecodeTest, EncodesTreesThatLeftTheirOrder) {
  value::Value pod = *value::ReadJson(
      R"({"status":{"phase":"x"},"nope":1,"spec":{"nodeName":"n","containers":[]},"metadata":{"labels":{"b":"1","a":"2"},"name":"p"}})",
      arena_);
  std::string out;
  EncodeJson(CoreKind("Pod"), pod, out);
  EXPECT_EQ(
      out,
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","creationTimestamp":null,"labels":{"a":"2","b":"1"}},)"
      R"("spec":{"containers":null,"nodeName":"n"},"status":{"phase":"x"}})");
}

TEST_F(DecodeTest, MarksWhatTheStoreKeeps) {
  value::Value map =
      *value::ReadJson(R"({"metadata":{"name":"a","labels":{"x":"y"}},"data":{"resourceVersion":"1"}})", arena_);
  auto tree = Decode(CoreKind("ConfigMap"), map, arena_, nullptr);
  std::string out = "before ";
  Marks marks;
  EncodeJson(CoreKind("ConfigMap"), *tree, out, &marks);
  EXPECT_EQ(out.substr(marks.revision - 19, 20), R"("resourceVersion":"")");
  EXPECT_EQ(out.substr(marks.labels, 9), R"({"x":"y"})");
  tree->Get("metadata").Remove("labels");
  out.clear();
  EncodeJson(CoreKind("ConfigMap"), *tree, out, &marks);
  EXPECT_EQ(marks.labels, 0u);
}

TEST(TextFormsTest, ReadsTimesAsGoDoes) {
  struct Case {
    TimeForm form;
    const char* text;
    const char* result;  // formatted, or the error after the layout
  };
  const Case cases[] = {
      {TimeForm::kSeconds, "2020-02-29T23:59:59Z", "2020-02-29T23:59:59Z"},
      {TimeForm::kSeconds, "2020-01-01T0:00:00Z", "2020-01-01T00:00:00Z"},
      {TimeForm::kSeconds, "2020-01-01T00:00:00,25-02:30", "2020-01-01T02:30:00Z"},
      {TimeForm::kSeconds, "2019-02-29T00:00:00Z", ": day out of range"},
      {TimeForm::kSeconds, "2020-13-01T00:00:00Z", ": month out of range"},
      {TimeForm::kSeconds, "2020-01-01T24:00:00Z", ": hour out of range"},
      {TimeForm::kSeconds, "2020-01-01", ": cannot parse \"\" as \"T\""},
      {TimeForm::kSeconds, "2020-01-01T00:00:00", ": cannot parse \"\" as \"Z07:00\""},
      {TimeForm::kSeconds, "2020-01-01T00:00:00ZZ", ": extra text: \"Z\""},
      {TimeForm::kSeconds, "2020-01-01T00:00:00+25:00", ": time zone offset hour out of range"},
      {TimeForm::kSeconds, "", ": cannot parse \"\" as \"2006\""},
      {TimeForm::kMicros, "2020-01-01T00:00:00.123456Z", "2020-01-01T00:00:00.123456Z"},
      {TimeForm::kMicros, "2020-01-01T00:00:00Z", ": cannot parse \"Z\" as \".000000\""},
      {TimeForm::kMicros, "2020-01-01T00:00:00.5Z", ": cannot parse \".5Z\" as \".000000\""},
      {TimeForm::kMicros, "2020-01-01T00:00:00.1234567Z", ": cannot parse \"7Z\" as \"Z07:00\""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    auto time = ParseTime(c.text, c.form);
    char buffer[kMaxTimeText];
    if (time) {
      EXPECT_EQ(FormatTime(*time, c.form, buffer), c.result);
    } else {
      EXPECT_TRUE(time.error().ends_with(c.result)) << time.error();
    }
  }
}

TEST(TextFormsTest, ReadsBase64AsGoDoes) {
  struct Case {
    const char* text;
    const char* result;
    bool fails;
  };
  const Case cases[] = {
      {"", "", false},      {"aGk=", "hi", false}, {"aG\r\nk=\n", "hi", false}, {"aGl", "0", true},
      {"a", "0", true},     {"aGk", "0", true},    {"a===", "1", true},         {"aG=x", "2", true},
      {"aGk=x", "4", true}, {"aGk-", "3", true},   {"YWJjZA==", "abcd", false}, {"YWJj!", "4", true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    std::string out;
    auto read = DecodeBase64(c.text, out);
    EXPECT_EQ(!read.has_value(), c.fails);
    if (read) {
      EXPECT_EQ(out, c.result);
    } else {
      EXPECT_EQ(read.error(), std::string("illegal base64 data at input byte ") + c.result);
    }
  }
  EXPECT_TRUE(IsCanonicalBase64("aGk="));
  EXPECT_FALSE(IsCanonicalBase64("aGl="));
  EXPECT_FALSE(IsCanonicalBase64("aG=k"));
}

TEST(TextFormsTest, KnowsCanonicalForms) {
  size_t known = 0;
  for (std::string_view suffix : {"", "m", "Ki", "Mi", "Gi", "k", "n", "e3", " "}) {
    for (int number :
         {0, 1, 9, 10, 100, 500, 999, 1000, 1001, 1023, 1024, 1025, 1500, 2000, 2048, 102400, 999999, 1000000}) {
      std::string text = std::to_string(number) + std::string(suffix);
      auto quantity = api::Quantity::Parse(text);
      if (!IsCanonicalQuantity(text)) continue;
      ++known;
      ASSERT_TRUE(quantity.has_value()) << text;
      EXPECT_EQ(quantity->text(), text);
    }
  }
  EXPECT_GT(known, 50u);
  for (std::string_view text : {"", "01", "1.5", "-1", "+1", "1KI", "x"})
    EXPECT_FALSE(IsCanonicalQuantity(text)) << text;
  struct Case {
    const char* text;
    TimeForm form;
    bool canonical;
  };
  const Case cases[] = {
      {"2020-02-29T23:59:59Z", TimeForm::kSeconds, true},        {"2019-02-29T00:00:00Z", TimeForm::kSeconds, false},
      {"2020-01-01T24:00:00Z", TimeForm::kSeconds, false},       {"2020-01-01t00:00:00Z", TimeForm::kSeconds, false},
      {"2020-01-01T0:00:00.1Z", TimeForm::kSeconds, false},      {"0001-01-01T00:00:00Z", TimeForm::kSeconds, false},
      {"2020-01-01T00:00:00.000001Z", TimeForm::kMicros, true},  {"2020-01-01T00:00:00Z", TimeForm::kMicros, false},
      {"2020-01-01T00:00:00.00000AZ", TimeForm::kMicros, false},
  };
  for (const Case& c : cases) EXPECT_EQ(IsCanonicalTime(c.text, c.form), c.canonical) << c.text;
}

TEST_F(DecodeTest, BoundsMapsThatAreRepeated) {
  std::string labels = R"("labels":{)";
  for (int i = 0; i < 2000; ++i) labels += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + R"(":"v")";
  labels += "}";
  std::string metadata = labels;
  for (int i = 0; i < 500; ++i) metadata += R"(,"labels":{})";
  EXPECT_TRUE(Tree(CoreKind("ConfigMap"), R"({"metadata":{)" + metadata + "}}").starts_with("{"));
  for (int i = 0; i < 100; ++i) metadata += R"(,"labels":{})";
  EXPECT_EQ(Tree(CoreKind("ConfigMap"), R"({"metadata":{)" + metadata + "}}"), "json: maps are repeated too often");
}

// The same finding is listed once, however often its long path is looked at.
TEST_F(DecodeTest, BoundsTheTextOfFindings) {
  const std::string key(1'000'000, 'k');
  std::string members = R"("x":1)";
  for (int i = 0; i < 100'000; ++i) members += R"(,"x":1)";
  Findings findings;
  Tree(Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
       R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{")" + key + R"(":{)" + members + "}}}}}]}}",
       &findings);
  EXPECT_EQ(findings.in_order.size(), 1U);
}

}  // namespace
}  // namespace schema
