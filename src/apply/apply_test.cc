#include "apply/apply.h"

#include <gtest/gtest.h>

#include <string>

#include "value/json_reader.h"
#include "value/json_writer.h"

namespace apply {
namespace {

// A live object and the appliers and updaters that change it, one after the other.
class ApplyTest : public testing::Test {
 protected:
  static constexpr std::string_view kDay1 = "2020-01-01T00:00:00Z";

  // Applies and gives the object without managedFields, or the error's text.
  std::string Apply(std::string_view manager, std::string_view config, bool force = false) {
    Writer writer{.manager = manager, .api_version = version_, .subresource = {}, .now = kDay1};
    api::Result<Applied> applied = apply::Apply(arena_, *type_, live_, Read(config), writer,
                                                {.force = force, .kind = "v1, Kind=T"}, kNoOtherVersion);
    if (!applied) {
      causes_.clear();
      for (const api::Cause& cause : applied.error().details.causes) {
        const size_t begin = cause.message.find('"') + 1;
        causes_ += (causes_.empty() ? "" : " ") + cause.message.substr(begin, cause.message.find('"', begin) - begin);
      }
      return std::to_string(applied.error().code) + " " + applied.error().message;
    }
    live_ = applied->object;
    changed_ = applied->changed;
    return value::ToJson(WithoutManagedFields(arena_, live_), value::KeyOrder::kSorted);
  }

  // A plain write of the whole object.
  void Update(std::string_view manager, std::string_view object) {
    Writer writer{.manager = manager, .api_version = version_, .subresource = {}, .now = kDay1};
    Value updated = Read(object);
    Value managed = TrackUpdate(arena_, *type_, live_, updated, writer, live_.empty(), kNoOtherVersion);
    live_ = WithoutManagedFields(arena_, updated);
    Value metadata = value::DeepCopy(arena_, live_.Get("metadata"));
    metadata.Set(arena_, "managedFields", managed);
    live_.Set(arena_, "metadata", metadata);
  }

  // "manager/Operation:fields" for each entry, joined by blanks.
  std::string Owners() {
    std::string text;
    for (const Value& entry : live_.Get({"metadata", "managedFields"}).items()) {
      if (!text.empty()) text += ' ';
      text += std::string(entry.GetString("manager")) + "/" + std::string(entry.GetString("operation")) + ":" +
              value::ToJson(entry.Get("fieldsV1"));
    }
    return text;
  }

  Value Read(std::string_view json) { return *value::ReadJson(arena_.CopyString(json), arena_); }
  void Kind(std::string_view group, std::string_view version, std::string_view kind) {
    type_ = schema::FindKind(group, version, kind);
    version_ = group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  }

  static std::optional<VersionedObject> NoOtherVersion(const Value&, std::string_view, std::string_view) {
    return std::nullopt;
  }
  ConvertTo kNoOtherVersion = NoOtherVersion;

  Arena arena_;
  const schema::Type* type_ = schema::FindKind("", "v1", "ConfigMap");
  std::string version_ = "v1";
  Value live_ = Value::Object(arena_);
  bool changed_ = false;
  std::string causes_;  // the managers in the causes of the last conflict
};

TEST_F(ApplyTest, CreatesAndOwnsWhatItSays) {
  EXPECT_EQ(Apply("m", R"({"metadata":{"name":"c"},"data":{"a":"1"}})"),
            R"({"data":{"a":"1"},"metadata":{"name":"c"}})");
  EXPECT_EQ(Owners(), R"(m/Apply:{"f:data":{"f:a":{}}})");
}

TEST_F(ApplyTest, TheSameAgainChangesNothing) {
  Apply("m", R"({"data":{"a":"1"}})");
  std::string before = value::ToJson(live_);
  Apply("m", R"({"data":{"a":"1"}})");
  EXPECT_FALSE(changed_);
  EXPECT_EQ(value::ToJson(live_), before);
}

TEST_F(ApplyTest, ASecondApplierOfTheSameValueSharesAndHasNoTime) {
  Apply("m", R"({"data":{"a":"1"}})");
  Apply("n", R"({"data":{"a":"1"}})");
  EXPECT_FALSE(changed_);
  EXPECT_EQ(Owners(), R"(n/Apply:{"f:data":{"f:a":{}}} m/Apply:{"f:data":{"f:a":{}}})");
  EXPECT_EQ(live_.Get({"metadata", "managedFields"})[0].Get("time").kind(), value::Kind::kNull);
}

TEST_F(ApplyTest, ConflictsSayWhoAndWhat) {
  Apply("m", R"({"data":{"a":"1","b":"1"}})");
  EXPECT_EQ(Apply("n", R"({"data":{"a":"2"}})"), R"(409 Apply failed with 1 conflict: conflict with "m": .data.a)");
  EXPECT_EQ(causes_, "m");
  EXPECT_EQ(Apply("n", R"({"data":{"a":"2","b":"2"}})"),
            "409 Apply failed with 2 conflicts: conflicts with \"m\":\n- .data.a\n- .data.b");
  EXPECT_EQ(Apply("n", R"({"data":{"a":"2"}})", true), R"({"data":{"a":"2","b":"1"},"metadata":{}})");
  EXPECT_EQ(Owners(), R"(m/Apply:{"f:data":{"f:b":{}}} n/Apply:{"f:data":{"f:a":{}}})");
}

TEST_F(ApplyTest, ConflictsComeInTheOrderOfTheEntries) {
  Apply("z", R"({"data":{"a":"1","b":"1"}})");
  Update("a", R"({"metadata":{"name":"c"},"data":{"a":"2","b":"1"}})");
  EXPECT_EQ(
      Apply("m", R"({"data":{"a":"3","b":"3"}})"),
      "409 Apply failed with 2 conflicts: conflicts with \"a\" using v1:\n- .data.a\nconflicts with \"z\":\n- .data.b");
  EXPECT_EQ(causes_, "z a");
}

// Each field in an item is told with the keys of the items around it, which may be long.
TEST_F(ApplyTest, ConflictsOfLongKeysAreTextOfBoundedSize) {
  Kind("", "v1", "Pod");
  const auto pod = [](char value) {
    std::string text = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":")" +
                       std::string(100'000, 'n') + R"(","env":[)";
    for (int i = 0; i < 1000; ++i)
      text += (i > 0 ? ",{\"name\":\"e" : "{\"name\":\"e") + std::to_string(i) + R"(","value":")" + value + "\"}";
    return text + "]}]}}";
  };
  Apply("a", pod('1'));
  const std::string refusal = Apply("b", pod('2'));
  EXPECT_TRUE(refusal.starts_with("409 Apply failed with ")) << refusal.substr(0, 100);
  EXPECT_LT(refusal.size(), 2U << 20);
}

// Items that come in descending order, each put before all others, would take minutes.
TEST_F(ApplyTest, LongSetsInAnyOrder) {
  constexpr int kItems = 60'000;
  std::string up, down;
  for (int i = 0; i < kItems; ++i) {
    up += (i > 0 ? ",\"a/f" : "\"a/f") + std::to_string(100'000 + i) + '"';
    down += (i > 0 ? ",\"a/f" : "\"a/f") + std::to_string(900'000 - i) + '"';
  }
  for (const std::string& items : {up, down, up}) {
    const std::string applied =
        Apply("a", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","finalizers":[)" + items + "]}}");
    EXPECT_NE(applied.find(items), std::string::npos) << applied.substr(0, 200);
  }
}

TEST_F(ApplyTest, ConflictsAreNamedLevelByLevel) {
  Apply("m", R"({"data":{"a":"1"},"immutable":false})");
  EXPECT_EQ(Apply("n", R"({"data":{"a":"2"},"immutable":true})"),
            "409 Apply failed with 2 conflicts: conflicts with \"m\":\n- .immutable\n- .data.a");
}

TEST_F(ApplyTest, AnUpdatersFieldConflictsWithItsVersion) {
  Update("u", R"({"metadata":{"name":"c"},"data":{"a":"1"}})");
  EXPECT_EQ(Apply("m", R"({"data":{"a":"2"}})"),
            R"(409 Apply failed with 1 conflict: conflict with "u" using v1: .data.a)");
}

TEST_F(ApplyTest, WhatIsGivenUpGoesUnlessSomebodyElseHasIt) {
  Apply("m", R"({"data":{"a":"1","b":"1","c":"1"}})");
  Apply("n", R"({"data":{"b":"1"}})");
  EXPECT_EQ(Apply("m", R"({"data":{"a":"1"}})"), R"({"data":{"a":"1","b":"1"},"metadata":{}})");
  EXPECT_EQ(Owners(), R"(n/Apply:{"f:data":{"f:b":{}}} m/Apply:{"f:data":{"f:a":{}}})");
}

TEST_F(ApplyTest, NobodysFieldsStayWhenAnApplierLeaves) {
  Update("u", R"({"metadata":{"name":"c","labels":{"l":"1"}},"data":{"z":"1"}})");
  Apply("m", R"({"data":{"a":"1"}})");
  EXPECT_EQ(Apply("m", R"({"metadata":{"name":"c"}})"),
            R"({"data":{"z":"1"},"metadata":{"labels":{"l":"1"},"name":"c"}})");
}

TEST_F(ApplyTest, AnUntrackedObjectBelongsToBeforeFirstApply) {
  live_ = Read(R"({"metadata":{"name":"c"},"data":{"a":"1"}})");
  EXPECT_EQ(Apply("m", R"({"data":{"b":"1"}})"), R"({"data":{"a":"1","b":"1"},"metadata":{"name":"c"}})");
  EXPECT_EQ(Owners(), R"(m/Apply:{"f:data":{"f:b":{}}} before-first-apply/Update:{"f:data":{".":{},"f:a":{}}})");
}

TEST_F(ApplyTest, KubectlTakesOverFromItsAnnotation) {
  std::string annotated =
      R"({"metadata":{"name":"c","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"1\"}}"}},"data":{"a":"1","b":"1"}})";
  Update("kubectl-client-side-apply", annotated);
  EXPECT_EQ(Apply("kubectl", R"({"kind":"ConfigMap","metadata":{"name":"c"},"data":{"b":"2"}})").substr(0, 3), "409")
      << "b is not in the annotation";
  EXPECT_EQ(Apply("kubectl", R"({"kind":"Secret","metadata":{"name":"c"},"data":{"a":"2"}})").substr(0, 3), "409")
      << "the annotation is of another kind";
  std::string after = Apply("kubectl", R"({"kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"2"}})");
  EXPECT_EQ(after.substr(0, 24), R"({"data":{"a":"2","b":"1")") << after;
  EXPECT_EQ(live_.Get({"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"}).AsString(),
            "{\"data\":{\"a\":\"2\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"}}\n");
}

TEST_F(ApplyTest, KubectlsAnnotationSaysNoZerosOfWholeLists) {
  // Each endpoint has conditions, which Go's struct writes and the annotation does not.
  Kind("discovery.k8s.io", "v1", "EndpointSlice");
  Update(
      "kubectl-client-side-apply",
      R"({"metadata":{"name":"s","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"discovery.k8s.io/v1\",\"kind\":\"EndpointSlice\",\"addressType\":\"IPv4\",\"endpoints\":[{\"addresses\":[\"10.1.1.1\"]}],\"ports\":[{\"port\":1}]}"}},"addressType":"IPv4","endpoints":[{"addresses":["10.1.1.1"]}],"ports":[{"port":1}]})");
  EXPECT_EQ(Apply("kubectl", R"({"kind":"EndpointSlice","endpoints":[]})").substr(0, 3), "409");
  EXPECT_EQ(Apply("kubectl", R"({"kind":"EndpointSlice","ports":[{"port":2}]})").substr(0, 14), R"({"addressType")");
}

TEST_F(ApplyTest, WhatIsNotThereHasNoZeros) {
  // Somebody owns the zeros of an object that the server dropped: they conflict where they are said.
  Kind("", "v1", "PersistentVolumeClaim");
  live_ = Read(
      R"({"metadata":{"name":"c","managedFields":[{"manager":"u","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:dataSourceRef":{".":{},"f:apiGroup":{},"f:kind":{},"f:name":{}}}}}]},"spec":{}})");
  EXPECT_EQ(Apply("m", R"({"spec":{"dataSourceRef":{}}})"),
            "409 Apply failed with 1 conflict: conflict with \"u\" using v1: .spec.dataSourceRef");
  EXPECT_EQ(Apply("m", R"({"spec":{"dataSourceRef":{"kind":""}}})").substr(0, 32), "409 Apply failed with 2 conflict");
}

TEST_F(ApplyTest, ListsMergeByTheirKeys) {
  Kind("apps", "v1", "Deployment");
  auto containers = [](std::string list) { return R"({"spec":{"template":{"spec":{"containers":[)" + list + "]}}}}"; };
  Apply("m", containers(R"({"name":"a","image":"1"},{"name":"b","image":"1"})"));
  EXPECT_EQ(
      Apply("n", containers(R"({"name":"c","image":"1"},{"name":"b","env":[{"name":"X"}]})")),
      R"({"metadata":{},"spec":{"template":{"spec":{"containers":[{"image":"1","name":"a"},{"image":"1","name":"c"},{"env":[{"name":"X"}],"image":"1","name":"b"}]}}}})");
  EXPECT_EQ(
      Apply("m", containers(R"({"name":"a","image":"1"})")),
      R"({"metadata":{},"spec":{"template":{"spec":{"containers":[{"image":"1","name":"a"},{"image":"1","name":"c"},{"env":[{"name":"X"}],"name":"b"}]}}}})");
}

TEST_F(ApplyTest, AnotherOrderOfItemsIsAChange) {
  Kind("apps", "v1", "Deployment");
  Apply("m", R"({"spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}}}})");
  EXPECT_EQ(Apply("m", R"({"spec":{"template":{"spec":{"containers":[{"name":"c"},{"name":"a"},{"name":"b"}]}}}})"),
            R"({"metadata":{},"spec":{"template":{"spec":{"containers":[{"name":"c"},{"name":"a"},{"name":"b"}]}}}})");
  EXPECT_TRUE(changed_);
  Apply("m", R"({"spec":{"template":{"spec":{"containers":[{"name":"c"},{"name":"a"},{"name":"b"}]}}}})");
  EXPECT_FALSE(changed_);
}

TEST_F(ApplyTest, PrunesByWayOfTheVersionOfTheLastApply) {
  // Of each conversion, from which version and to which.
  std::string asked;
  auto same_form = [&](const Value& object, std::string_view from,
                       std::string_view to) -> std::optional<VersionedObject> {
    asked += std::string(from) + ">" + std::string(to) + " ";
    return VersionedObject{type_, object};
  };
  Kind("autoscaling", "v1", "HorizontalPodAutoscaler");
  Apply("m", R"({"spec":{"maxReplicas":3,"minReplicas":2}})");
  Writer writer{.manager = "m", .api_version = "autoscaling/v2", .subresource = {}, .now = kDay1};
  api::Result<Applied> applied =
      apply::Apply(arena_, *type_, live_, Read(R"({"spec":{"maxReplicas":3}})"), writer, {}, same_form);
  ASSERT_TRUE(applied);
  EXPECT_EQ(value::ToJson(applied->object.Get("spec")), R"({"maxReplicas":3})");
  EXPECT_TRUE(asked.starts_with("autoscaling/v2>autoscaling/v1 ")) << asked;
  EXPECT_NE(asked.find("autoscaling/v1>autoscaling/v2 "), asked.npos) << asked;
}

TEST_F(ApplyTest, GivingUpWhatIsZeroIsAChange) {
  Kind("scheduling.k8s.io", "v1", "PriorityClass");
  Update("u", R"({"metadata":{"name":"p"},"description":"x"})");
  Apply("m", R"({"value":0,"description":"x"})");
  live_.Remove("value");  // as every canonical tree
  Apply("m", R"({"description":"x"})");
  EXPECT_TRUE(changed_);
  Apply("m", R"({"description":"x"})");
  EXPECT_FALSE(changed_);
}

// What Go's struct holds and its JSON does not say is not there for an apply, and stays where it changes nothing.
TEST_F(ApplyTest, EmptyBytesAreNotSaid) {
  Kind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration");
  constexpr std::string_view kHook = R"({"webhooks":[{"name":"a","clientConfig":{"url":"u","caBundle":""}}]})";
  Update("u", R"({"metadata":{"name":"w"},"webhooks":[{"name":"a","clientConfig":{"url":"u","caBundle":""}}]})");
  EXPECT_EQ(Owners().find("caBundle"), std::string::npos) << Owners();
  Apply("m", R"({"webhooks":[{"name":"a","clientConfig":{"url":"u"}}]})");
  EXPECT_FALSE(changed_);
  EXPECT_NE(live_.Get("webhooks")[0].Get("clientConfig").Find("caBundle"), nullptr);
  Apply("m", R"({"metadata":{"labels":{"a":"b"}},"webhooks":[{"name":"a","clientConfig":{"url":"u"}}]})");
  EXPECT_TRUE(changed_);
  EXPECT_EQ(live_.Get("webhooks")[0].Get("clientConfig").Find("caBundle"), nullptr);
  Apply("n", kHook);
  EXPECT_TRUE(changed_);
  EXPECT_NE(live_.Get("webhooks")[0].Get("clientConfig").Find("caBundle"), nullptr);
  EXPECT_EQ(Apply("o", kHook),
            R"(409 Apply failed with 1 conflict: conflict with "n": .webhooks[name="a"].clientConfig.caBundle)");
}

TEST_F(ApplyTest, WholeListsAreComparedAsTheyAreWritten) {
  Kind("discovery.k8s.io", "v1", "EndpointSlice");
  // Go's struct has conditions, the configuration has none: another value.
  Apply("m", R"({"addressType":"IPv4","endpoints":[{"addresses":["10.1.2.3"],"conditions":{}}]})");
  Apply("n", R"({"endpoints":[{"addresses":["10.1.2.3"]}]})", true);
  EXPECT_EQ(Owners(), R"(m/Apply:{"f:addressType":{}} n/Apply:{"f:endpoints":{}})");
}

TEST_F(ApplyTest, WholeListsOfTheLiveObjectHaveTheirZeros) {
  Kind("discovery.k8s.io", "v1", "EndpointSlice");
  const char* config = R"({"endpoints":[{"addresses":["10.1.2.3"]}]})";
  Apply("m", config);
  EXPECT_TRUE(Apply("n", config).starts_with("409"));
  Apply("n", config, true);
  EXPECT_EQ(Owners(), R"(n/Apply:{"f:endpoints":{}})");
}

TEST_F(ApplyTest, NothingInPlaceOfZerosChangesNothing) {
  Kind("", "v1", "Node");
  Update("u", R"({"metadata":{"name":"n"},"spec":{"podCIDR":"10.0.0.0/24"}})");
  for (const char* config : {R"({"status":null})", R"({"status":{}})", R"({"status":{"nodeInfo":null}})"}) {
    Apply("m", config);
    EXPECT_FALSE(changed_) << config;
  }
}

TEST_F(ApplyTest, WhatNobodyReadsMayBeAnything) {
  Kind("apps", "v1", "ControllerRevision");
  EXPECT_EQ(Apply("m", R"({"data":true})"), R"({"data":true,"metadata":{}})");
}

TEST_F(ApplyTest, DefaultedKeysIdentifyItems) {
  Kind("", "v1", "Service");
  Update("u", R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":80,"protocol":"TCP","name":"x"}]}})");
  EXPECT_EQ(Apply("m", R"({"spec":{"ports":[{"port":80,"nodePort":30080}]}})"),
            R"({"metadata":{"name":"s"},"spec":{"ports":[{"name":"x","nodePort":30080,"port":80,"protocol":"TCP"}]}})");
}

TEST_F(ApplyTest, ConfigurationsThatDoNotFit) {
  Kind("apps", "v1", "Deployment");
  struct {
    const char* config;
    const char* text;
  } cases[] = {
      {R"({"spec":{"bogus":1}})", ".spec.bogus: field not declared in schema"},
      {R"({"a":1,"b":2,"spec":{}})", ".a: field not declared in schema"},
      {R"({"a":1,"apiVersion":"v1","kind":"T","metadata":{},"spec":{},"zeta":2})",
       ".zeta: field not declared in schema"},
      {R"({"metadata":{"a":1},"spec":{"replicas":"x"},"zeta":2})",
       "errors:\n  .metadata.a: field not declared in schema\n"
       "  .spec.replicas: expected numeric (int or float), got string\n  .zeta: field not declared in schema"},
      {R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1})", ".a: field not declared in schema"},
      {R"({"spec":{"template":{"spec":{"containers":[{"name":"a","x":1},{"name":"b","y":1}]},"z":1}}})",
       "errors:\n  .spec.template.spec.containers[name=\"a\"].x: field not declared in schema\n"
       "  .spec.template.spec.containers[name=\"b\"].y: field not declared in schema\n"
       "  .spec.template.z: field not declared in schema"},
      {R"({"spec":{"replicas":"x"}})", ".spec.replicas: expected numeric (int or float), got string"},
      {R"({"spec":{"paused":"true"}})", ".spec.paused: expected boolean, got &{true}"},
      {R"({"spec":{"strategy":{"rollingUpdate":"25%"}}})",
       ".spec.strategy.rollingUpdate: expected map, got &{25%!}(MISSING)"},
      {R"({"spec":{"selector":[]}})", ".spec.selector: expected map, got &{[]}"},
      {R"({"metadata":{"labels":{"a":1}}})",
       ".metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}"},
      {R"({"spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"a"}]}}}})",
       ".spec.template.spec.containers: duplicate entries for key [name=\"a\"]"},
      {R"({"spec":{"template":{"spec":{"containers":[null]}}}})",
       ".spec.template.spec.containers: element 0: associative list with keys may not have a null element"},
      {R"({"metadata":{"finalizers":{"a":"b"}}})", ".metadata.finalizers: expected list, got &{map[a:b]}"},
      {R"({"metadata":{"finalizers":["x",1]}})",
       ".metadata.finalizers[=1]: expected string, got &value.valueUnstructured{Value:1}"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Apply("m", c.config), std::string("500 failed to create typed patch object (/; v1, Kind=T): ") + c.text);
  }
  EXPECT_EQ(Apply("m", R"({"metadata":{"managedFields":[]}})"), "400 metadata.managedFields must be nil");
  EXPECT_EQ(
      Apply("m", R"({"metadata":{"managedFields":true}})"),
      "500 failed to create typed patch object (/; v1, Kind=T): .metadata.managedFields: expected list, got &{true}");
}

// A list of the live object may have items that nothing identifies, and no configuration is laid over that.
TEST_F(ApplyTest, LiveObjectsThatDoNotFit) {
  Kind("", "v1", "ServiceAccount");
  live_ = Read(R"({"metadata":{"namespace":"n","name":"s"},"secrets":[{"name":"a"},{"kind":"x"},{"name":"a"}]})");
  const std::string text =
      "(n/s; v1, Kind=T)%: .secrets: element 1: associative list with keys has an element that omits key field "
      "\"name\" (and doesn't have default value)";
  const auto with = [&](std::string_view words) { return std::string(text).replace(text.find('%'), 1, words); };
  const std::string unowned =
      "500 failed to create manager for existing fields: failed to convert new object " + with(" to smd typed");
  EXPECT_EQ(Apply("m", R"({"secrets":[{"name":"b"}]})"), unowned);
  EXPECT_EQ(Apply("m", R"({"metadata":{"managedFields":[]}})"), unowned);
  EXPECT_EQ(Apply("m", R"({"bogus":1})"), unowned);
  live_.Get("metadata").Set(arena_, "managedFields", Read(R"([{"manager":"u","operation":"Update","apiVersion":"v1",
      "fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{}}}}])"));
  EXPECT_EQ(Apply("m", R"({"metadata":{"labels":{"a":"b"}}})"), "500 failed to create typed live object " + with(""));
  EXPECT_EQ(Apply("m", R"({"bogus":1})"),
            "500 failed to create typed patch object (/; v1, Kind=T): .bogus: field not declared in schema");
}

TEST_F(ApplyTest, EntriesThatCannotBeReadComeBack) {
  Kind("", "v1", "ConfigMap");
  EXPECT_EQ(Apply("m", R"({"metadata":{"managedFields":[{"time":"2020-01-01T00:00:00Z"}]}})"),
            "400 metadata.managedFields must be nil");
  Apply("m", R"({"data":{"a":"b"},"metadata":{"managedFields":[{"time":"x"}]}})");
  EXPECT_EQ(value::ToJson(live_.Get({"metadata", "managedFields"})), R"([{"time":"x"}])");
}

}  // namespace
}  // namespace apply
