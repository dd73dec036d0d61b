#include "apply/managed_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "value/json_reader.h"
#include "value/json_writer.h"

namespace apply {
namespace {

class TrackUpdateTest : public testing::Test {
 protected:
  // Creates or updates an object of `kind` and gives its managedFields as JSON.
  std::string Track(std::string_view group, std::string_view kind, std::string_view live, std::string_view updated,
                    std::string_view manager, std::string_view now = "2020-01-01T00:00:00Z", bool creating = false,
                    const FieldSet* reset = nullptr) {
    const schema::Type* type = schema::FindKind(group, "v1", kind);
    std::string version = group.empty() ? "v1" : std::string(group) + "/v1";
    Writer writer{.manager = manager,
                  .api_version = arena_.CopyString(version),
                  .subresource = {},
                  .now = now,
                  .reset_fields = reset};
    Value tracked = TrackUpdate(arena_, *type, Read(live), Read(updated), writer, creating,
                                [](const Value&, std::string_view, std::string_view) -> std::optional<VersionedObject> {
                                  return std::nullopt;
                                });
    return value::ToJson(tracked);
  }
  Value Read(std::string_view json) { return *value::ReadJson(arena_.CopyString(json), arena_); }

  // `object` with these managedFields in its metadata.
  static std::string With(std::string object, const std::string& managed) {
    return object.replace(object.find("\"metadata\":{"), 12, "\"metadata\":{\"managedFields\":" + managed + ",");
  }

  Arena arena_;
};

std::string Entry(std::string_view manager, std::string_view fields, std::string_view version = "v1",
                  std::string_view time = "2020-01-01T00:00:00Z") {
  return "{\"manager\":\"" + std::string(manager) + "\",\"operation\":\"Update\",\"apiVersion\":\"" +
         std::string(version) + "\",\"time\":\"" + std::string(time) +
         "\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":" + std::string(fields) + "}";
}

TEST_F(TrackUpdateTest, ACreatorOwnsWhatItSets) {
  EXPECT_EQ(
      Track("", "ConfigMap", "{}", R"({"metadata":{"name":"a","namespace":"n","labels":{"l":"1"}},"data":{"k":"v"}})",
            "me", "2020-01-01T00:00:00Z", true),
      "[" + Entry("me", R"({"f:data":{".":{},"f:k":{}},"f:metadata":{"f:labels":{".":{},"f:l":{}}}})") + "]");
}

TEST_F(TrackUpdateTest, NothingOwnedIsNoEntry) {
  EXPECT_EQ(Track("", "ConfigMap", "{}", R"({"metadata":{"name":"a"}})", "me", "2020-01-01T00:00:00Z", true), "null");
}

TEST_F(TrackUpdateTest, EmptyListsAndMapsThatNobodySeesAreNobodys) {
  EXPECT_EQ(Track("", "ConfigMap", "{}", R"({"metadata":{"name":"a","finalizers":[]},"data":{},"immutable":true})",
                  "me", "2020-01-01T00:00:00Z", true),
            "[" + Entry("me", R"({"f:immutable":{}})") + "]");
}

TEST_F(TrackUpdateTest, StructsThatGoWritesAnywayAreOwnedOnlyInNewListItems) {
  // The template's metadata.creationTimestamp and the empty status were there before; the new container's resources
  // were not.
  std::string tracked = Track(
      "apps", "Deployment", "{}",
      R"({"metadata":{"name":"d"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":9}]}]}}}})",
      "me", "2020-01-01T00:00:00Z", true);
  EXPECT_EQ(
      tracked,
      "[" +
          Entry(
              "me",
              R"({"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":9,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},"f:resources":{}}}}}}})",
              "apps/v1") +
          "]");
}

TEST_F(TrackUpdateTest, AnotherManagerTakesWhatItChanges) {
  std::string mine = Entry("me", R"({"f:data":{".":{},"f:a":{},"f:b":{},"f:c":{}}})");
  std::string live = With(R"({"metadata":{"name":"x"},"data":{"a":"1","b":"1","c":"1"}})", "[" + mine + "]");
  std::string updated = R"({"metadata":{"name":"x"},"data":{"a":"2","b":"1"}})";
  EXPECT_EQ(Track("", "ConfigMap", live, updated, "other", "2020-01-02T00:00:00Z"),
            "[" + Entry("me", R"({"f:data":{".":{},"f:b":{}}})") + "," +
                Entry("other", R"({"f:data":{"f:a":{}}})", "v1", "2020-01-02T00:00:00Z") + "]");
}

TEST_F(TrackUpdateTest, TheSameManagersEntriesAreOne) {
  std::string mine = Entry("me", R"({"f:data":{".":{},"f:a":{}}})");
  std::string live = With(R"({"metadata":{"name":"x"},"data":{"a":"1"}})", "[" + mine + "]");
  EXPECT_EQ(Track("", "ConfigMap", live, R"({"metadata":{"name":"x"},"data":{"a":"1","b":"1"}})", "me",
                  "2020-01-02T00:00:00Z"),
            "[" + Entry("me", R"({"f:data":{".":{},"f:a":{},"f:b":{}}})", "v1", "2020-01-02T00:00:00Z") + "]");
}

TEST_F(TrackUpdateTest, NoChangeKeepsEntriesToTheByte) {
  std::string mine = Entry("me", R"({"f:data":{"f:a":{},"f:b":{}}})");
  std::string live = With(R"({"metadata":{"name":"x"},"data":{"a":"1","b":"2"}})", "[" + mine + "]");
  EXPECT_EQ(Track("", "ConfigMap", live, R"({"metadata":{"name":"x"},"data":{"b":"2","a":"1"}})", "other",
                  "2020-01-02T00:00:00Z"),
            "[" + mine + "]");
}

TEST_F(TrackUpdateTest, EntriesThatWereWrittenOtherwiseAreWrittenAnew) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"f:data":{"f:b":{},"f:a":{}}})", R"({"f:data":{"f:a":{},"f:b":{}}})"},
      {R"({"f:data":{"f:a":{},".":{}}})", R"({"f:data":{".":{},"f:a":{}}})"},
      {R"({"f:data":{".":{}}})", R"({"f:data":{}})"},
      {R"({"f:data":{"f:a":null,"y:z":{}},".":{}})", R"({"f:data":{"f:a":{}}})"},
  };
  for (const auto& [sent, written] : cases) {
    const std::string live = R"({"metadata":{"name":"x"},"data":{"a":"1"}})";
    EXPECT_EQ(Track("", "ConfigMap", live, With(live, "[" + Entry("me", sent) + "]"), "other"),
              "[" + Entry("me", written) + "]");
  }
}

TEST_F(TrackUpdateTest, ResetFieldsAreNobodys) {
  const FieldSet* reset = FromDottedPath(arena_, "data");
  EXPECT_EQ(Track("", "ConfigMap", "{}", R"({"metadata":{"labels":{"l":"1"}},"data":{"k":"v"}})", "me",
                  "2020-01-01T00:00:00Z", true, reset),
            "[" + Entry("me", R"({"f:metadata":{"f:labels":{".":{},"f:l":{}}}})") + "]");
}

TEST_F(TrackUpdateTest, AResetEndsTracking) {
  std::string live =
      With(R"({"metadata":{"name":"x"},"data":{"a":"1"}})", "[" + Entry("me", R"({"f:data":{"f:a":{}}})") + "]");
  for (const char* reset : {"[]", "[{}]"}) {
    EXPECT_EQ(Track("", "ConfigMap", live, With(R"({"metadata":{"name":"x"},"data":{"a":"2"}})", reset), "me"), "null")
        << reset;
  }
  EXPECT_EQ(
      Track("", "ConfigMap", R"({"metadata":{"name":"x"}})", R"({"metadata":{"name":"x"},"data":{"a":"2"}})", "me"),
      "null");
}

TEST_F(TrackUpdateTest, EntriesThatCannotBeReadAreAsIfNotSent) {
  std::string mine = Entry("me", R"({"f:data":{"f:a":{}}})");
  std::string live = With(R"({"metadata":{"name":"x"},"data":{"a":"1"}})", "[" + mine + "]");
  for (const char* sent :
       {R"([{"manager":"x","operation":"Nope","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}])",
        R"([{"manager":"x","operation":"Update","apiVersion":"","fieldsType":"FieldsV1","fieldsV1":{}}])",
        R"([{"manager":"x","operation":"Update","apiVersion":"v1","fieldsType":"V2","fieldsV1":{}}])",
        R"([{"manager":"x","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"x":{}}}])"}) {
    EXPECT_EQ(Track("", "ConfigMap", live, With(R"({"metadata":{"name":"x"},"data":{"a":"1"}})", sent), "me"),
              "[" + mine + "]")
        << sent;
  }
}

TEST_F(TrackUpdateTest, AtMostTenUpdateManagers) {
  std::string entries;
  for (int i = 0; i < 10; ++i) {
    std::string n = std::to_string(i);
    entries +=
        (i ? "," : "") + Entry("m" + n, R"({"f:data":{"f:k)" + n + R"(":{}}})", "v1", "2020-01-01T00:00:0" + n + "Z");
  }
  std::string data;
  for (int i = 0; i < 10; ++i) data += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":\"1\"";
  std::string live = With(R"({"metadata":{"name":"x"},"data":{)" + data + "}}", "[" + entries + "]");
  std::string tracked = Track("", "ConfigMap", live, R"({"metadata":{"name":"x"},"data":{)" + data + R"(,"new":"1"}})",
                              "m10", "2020-01-02T00:00:00Z");
  Value list = Read(tracked);
  ASSERT_EQ(list.size(), 10u);
  EXPECT_EQ(list[0].GetString("manager"), "ancient-changes");
  EXPECT_EQ(list[0].GetString("time"), "2020-01-01T00:00:01Z");
  EXPECT_EQ(value::ToJson(list[0].Get("fieldsV1")), R"({"f:data":{"f:k0":{},"f:k1":{}}})");
}

// Forged entries, of one field each: merged one by one, the oldest become a set that is written anew ten thousand
// times.
TEST_F(TrackUpdateTest, ManyUpdateManagersTakeMemoryInTheirNumber) {
  constexpr int kEntries = 10'000;
  std::string entries = "[", data;
  for (int i = 0; i < kEntries; ++i) {
    const std::string key = "k" + std::to_string(100'000 + i);
    entries += (i > 0 ? "," : "") + Entry("m" + std::to_string(i), R"({"f:data":{"f:)" + key + R"(":{}}})");
    data += (i > 0 ? ",\"" : "\"") + key + R"(":"1")";
  }
  const std::string live = R"({"metadata":{"name":"a"},"data":{)" + data + "}}";
  const std::string updated = With(live, entries + "]");
  const size_t before = arena_.allocated();
  const std::string tracked = Track("", "ConfigMap", live, updated, "x");
  EXPECT_LT(arena_.allocated() - before, 64U << 20);
  EXPECT_NE(tracked.find(R"("manager":"ancient-changes")"), std::string::npos);
  EXPECT_NE(tracked.find(R"("f:k109999":{})"), std::string::npos);
  EXPECT_NE(tracked.find(R"("f:k100000":{})"), std::string::npos);
}

TEST_F(TrackUpdateTest, AnEntryOfAVersionThatIsGoneGoesToo) {
  std::string live =
      With(R"({"metadata":{"name":"x"},"data":{"a":"1"}})", "[" + Entry("old", R"({"f:data":{"f:a":{}}})", "v0") + "]");
  EXPECT_EQ(Track("", "ConfigMap", live, R"({"metadata":{"name":"x"},"data":{"a":"1","b":"1"}})", "me"),
            "[" + Entry("me", R"({"f:data":{"f:b":{}}})") + "]");
}

TEST_F(TrackUpdateTest, WholeListsAreComparedAsGoDoes) {
  // What is empty is not what is not there, though neither is written.
  EXPECT_EQ(Track("networking.k8s.io", "NetworkPolicy",
                  With(R"({"metadata":{"name":"x"},"spec":{"podSelector":{},"ingress":[{}]}})",
                       "[" + Entry("a", R"({"f:spec":{"f:ingress":{}}})", "networking.k8s.io/v1") + "]"),
                  R"({"metadata":{"name":"x"},"spec":{"podSelector":{},"ingress":[{"from":[]}]}})", "b"),
            "[" + Entry("b", R"({"f:spec":{"f:ingress":{}}})", "networking.k8s.io/v1") + "]");
  // In an object that is owned whole as well.
  EXPECT_EQ(
      Track(
          "networking.k8s.io", "NetworkPolicy",
          With(
              R"({"metadata":{"name":"x"},"spec":{"podSelector":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}})",
              "[" + Entry("a", R"({"f:spec":{"f:podSelector":{}}})", "networking.k8s.io/v1") + "]"),
          R"({"metadata":{"name":"x"},"spec":{"podSelector":{"matchExpressions":[{"key":"a","operator":"Exists","values":[]}]}}})",
          "b"),
      "[" + Entry("b", R"({"f:spec":{"f:podSelector":{}}})", "networking.k8s.io/v1") + "]");
}

TEST_F(TrackUpdateTest, OwnersOfWhatCannotBeToldApartAreForgottenThoughItDidNotChange) {
  const std::string secrets = R"("secrets":[{"namespace":"q"}])";
  EXPECT_EQ(Track("", "ServiceAccount",
                  With(R"({"metadata":{"name":"x"},)" + secrets + "}", "[" + Entry("a", R"({"f:secrets":{}})") + "]"),
                  R"({"metadata":{"name":"x","labels":{"a":"b"}},)" + secrets + "}", "b"),
            "null");
}

struct SetCase {
  const char* a;
  const char* b;
  const char* both;
  const char* either;
  const char* only_a;
  const char* only_a_recursive;
};

TEST(FieldSet, Algebra) {
  SetCase cases[] = {
      {R"({})", R"({"f:a":{}})", R"({})", R"({"f:a":{}})", R"({})", R"({})"},
      {R"({"f:a":{},"f:b":{}})", R"({"f:b":{},"f:c":{}})", R"({"f:b":{}})", R"({"f:a":{},"f:b":{},"f:c":{}})",
       R"({"f:a":{}})", R"({"f:a":{}})"},
      {R"({"f:a":{".":{},"f:b":{}}})", R"({"f:a":{}})", R"({"f:a":{}})", R"({"f:a":{".":{},"f:b":{}}})",
       R"({"f:a":{"f:b":{}}})", R"({})"},
      {R"({"f:a":{"k:{\"n\":1}":{},"k:{\"n\":10}":{},"v:\"x\"":{},"i:3":{}}})", R"({"f:a":{"k:{\"n\":10}":{}}})",
       R"({"f:a":{"k:{\"n\":10}":{}}})", R"({"f:a":{"k:{\"n\":1}":{},"k:{\"n\":10}":{},"v:\"x\"":{},"i:3":{}}})",
       R"({"f:a":{"k:{\"n\":1}":{},"v:\"x\"":{},"i:3":{}}})", R"({"f:a":{"k:{\"n\":1}":{},"v:\"x\"":{},"i:3":{}}})"},
  };
  for (const SetCase& c : cases) {
    Arena arena;
    auto read = [&](const char* json) { return *DecodeFieldsV1(arena, *value::ReadJson(json, arena)); };
    auto text = [&](const FieldSet* set) {
      std::string out;
      value::WriteJson(EncodeFieldsV1(arena, set), out);
      return out;
    };
    const FieldSet* a = read(c.a);
    const FieldSet* b = read(c.b);
    EXPECT_EQ(text(Intersection(arena, a, b)), c.both);
    EXPECT_EQ(text(Union(arena, a, b)), c.either);
    EXPECT_EQ(text(Difference(arena, a, b)), c.only_a);
    EXPECT_EQ(text(RecursiveDifference(arena, a, b)), c.only_a_recursive);
    EXPECT_TRUE(Equal(Union(arena, a, b), Union(arena, b, a)));
  }
}

TEST(FieldSet, PathsReadAsErrorTextsShowThem) {
  Arena arena;
  Value fields = *value::ReadJson(
      R"({"f:spec":{"f:c":{"k:{\"name\":\"x\",\"port\":80}":{"f:i":{}}},"f:f":{"v:\"a\"":{}}}})", arena);
  EXPECT_EQ(Paths(*DecodeFieldsV1(arena, fields)),
            (std::vector<std::string>{".spec.c[name=\"x\",port=80].i", ".spec.f[=\"a\"]"}));
}

}  // namespace
}  // namespace apply
