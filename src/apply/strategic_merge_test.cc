#include "apply/strategic_merge.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace apply {
namespace {

// The patched object's JSON, keys sorted, or the error.
std::string Patched(std::string_view group, std::string_view kind, std::string_view document, std::string_view patch) {
  value::Arena arena;
  value::Value before = *value::ReadJson(document, arena);
  base::Result<value::Value> merged =
      ApplyStrategicMerge(arena, *schema::FindKind(group, "v1", kind), before, *value::ReadJson(patch, arena));
  EXPECT_EQ(value::ToJson(before), document) << "the document changed";
  return merged ? value::ToJson(*merged, value::KeyOrder::kSorted) : merged.error().message;
}

std::string Pod(std::string_view containers) { return R"({"spec":{"containers":[)" + std::string(containers) + "]}}"; }

TEST(StrategicMerge, ListsByTheirMergeKey) {
  struct {
    const char* name;
    const char* containers;
    const char* patch;
    const char* result;
  } cases[] = {
      {"merges into the item", R"({"image":"1","name":"a"},{"name":"b"})", R"({"name":"a","image":"2"})",
       R"({"image":"2","name":"a"},{"name":"b"})"},
      {"new items come first", R"({"name":"a"},{"name":"b"})", R"({"name":"c"})",
       R"({"name":"c"},{"name":"a"},{"name":"b"})"},
      {"delete", R"({"name":"a"},{"name":"b"})", R"({"name":"a","$patch":"delete"})", R"({"name":"b"})"},
      {"delete of what is not there", R"({"name":"a"})", R"({"name":"x","$patch":"delete"})", R"({"name":"a"})"},
      {"replace the list", R"({"name":"a"},{"name":"b"})", R"({"$patch":"replace"},{"name":"c"})", R"({"name":"c"})"},
      {"null in an item removes", R"({"image":"1","name":"a"})", R"({"name":"a","image":null})", R"({"name":"a"})"},
      {"lists without a merge strategy are replaced", R"({"args":["x","y"],"name":"a"})",
       R"({"name":"a","args":["z"]})", R"({"args":["z"],"name":"a"})"},
      {"ports by number only",
       R"({"name":"a","ports":[{"containerPort":1,"protocol":"TCP"},{"containerPort":1,"protocol":"UDP"}]})",
       R"({"name":"a","ports":[{"containerPort":1,"name":"n"}]})",
       R"({"name":"a","ports":[{"containerPort":1,"name":"n","protocol":"TCP"},{"containerPort":1,"protocol":"UDP"}]})"},
  };
  for (const auto& c : cases) EXPECT_EQ(Patched("", "Pod", Pod(c.containers), Pod(c.patch)), Pod(c.result)) << c.name;
}

TEST(StrategicMerge, Documents) {
  struct {
    const char* name;
    const char* document;
    const char* patch;
    const char* result;
  } cases[] = {
      {"null removes", R"({"metadata":{"labels":{"a":"1","b":"2"}}})", R"({"metadata":{"labels":{"a":null}}})",
       R"({"metadata":{"labels":{"b":"2"}}})"},
      {"null of what is absent", R"({"metadata":{}})", R"({"metadata":{"labels":{"a":null}}})",
       R"({"metadata":{"labels":{}}})"},
      {"a map replaced", R"({"metadata":{"labels":{"a":"1"}}})",
       R"({"metadata":{"labels":{"$patch":"replace","c":"3"}}})", R"({"metadata":{"labels":{"c":"3"}}})"},
      {"a map deleted", R"({"metadata":{"labels":{"a":"1"}}})", R"({"metadata":{"labels":{"$patch":"delete"}}})",
       R"({"metadata":{"labels":{}}})"},
      {"a directive that meets nothing vanishes", R"({"metadata":{}})",
       R"({"metadata":{"labels":{"$patch":"nope","c":"3"}}})", R"({"metadata":{}})"},
      {"a directive that is null vanishes alone", R"({"metadata":{}})",
       R"({"metadata":{"labels":{"$patch":null,"c":"3"}}})", R"({"metadata":{"labels":{"c":"3"}}})"},
      {"primitive lists are merged", R"({"metadata":{"finalizers":["a","b"]}})",
       R"({"metadata":{"finalizers":["c","a"]}})", R"({"metadata":{"finalizers":["c","a","b"]}})"},
      {"delete from a primitive list", R"({"metadata":{"finalizers":["a","b"]}})",
       R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})", R"({"metadata":{"finalizers":["b"]}})"},
      {"delete from a list that is not there", R"({"metadata":{}})",
       R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})", R"({"metadata":{}})"},
      {"order of a primitive list", R"({"metadata":{"finalizers":["a","b","c"]}})",
       R"({"metadata":{"$setElementOrder/finalizers":["c","a","d"],"finalizers":["d"]}})",
       R"({"metadata":{"finalizers":["b","c","a","d"]}})"},
      {"order alone", R"({"metadata":{"finalizers":["a","b"]}})",
       R"({"metadata":{"$setElementOrder/finalizers":["b","a"]}})", R"({"metadata":{"finalizers":["b","a"]}})"},
      {"of equal keys the last", R"({"data":{"a":"1"}})", R"({"data":{"a":"2","a":"3"}})", R"({"data":{"a":"3"}})"},
      {"nulls in what is new vanish", R"({"metadata":{}})", R"({"metadata":{"annotations":{"a":null,"b":"1"}}})",
       R"({"metadata":{"annotations":{"b":"1"}}})"},
      {"another kind of value is taken", R"({"data":{"a":"1"}})", R"({"data":7})", R"({"data":7})"},
  };
  for (const auto& c : cases) EXPECT_EQ(Patched("", "ConfigMap", c.document, c.patch), c.result) << c.name;
}

TEST(StrategicMerge, RetainKeys) {
  const char* document = R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"}}})";
  EXPECT_EQ(
      Patched("apps", "Deployment", document, R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})"),
      R"({"spec":{"strategy":{"type":"Recreate"}}})");
  EXPECT_EQ(Patched("apps", "Deployment", document,
                    R"({"spec":{"strategy":{"$retainKeys":["type"],"rollingUpdate":{"maxSurge":2}}}})"),
            "invalid patch format of retainKeys");
  EXPECT_EQ(Patched("apps", "Deployment", document, R"({"spec":{"strategy":{"$retainKeys":"x"}}})"),
            "invalid patch format of retainKeys");
}

TEST(StrategicMerge, TakesItsDirectivesOutOfThePatch) {
  value::Arena arena;
  const auto read = [&](const char* json) { return *value::ReadJson(json, arena); };
  const value::Value document =
      read(R"({"spec":{"strategy":{"type":"Recreate"},"template":{"spec":{"containers":[{"name":"a"}]}}}})");
  const value::Value patch = read(
      R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"x"},"selector":{"$patch":"replace","matchLabels":{}},"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a"}]}}}})");
  document.Find("spec")->Set(arena, "selector", read(R"({"matchLabels":{"a":"b"}})"));
  ASSERT_TRUE(ApplyStrategicMerge(arena, *schema::FindKind("apps", "v1", "Deployment"), document, patch));
  EXPECT_EQ(value::ToJson(patch),
            R"({"spec":{"strategy":{"type":"x"},"selector":{"matchLabels":{}},"template":{"spec":{}}}})");
}

// Of what meets something, and of what meets nothing.
TEST(StrategicMerge, TakesNullsOutOfThePatch) {
  value::Arena arena;
  const auto read = [&](const char* json) { return *value::ReadJson(json, arena); };
  const value::Value patch = read(
      R"({"metadata":{"labels":{"a":null,"b":"c"},"annotations":{"a":null,"b":"c"}},"spec":{"template":{"spec":{"affinity":{"podAffinity":{"$patch":"delete"},"x":[null,{"y":null}]},"tolerations":[{"key":null},{"$patch":"delete"}]}}}})");
  const auto merged =
      ApplyStrategicMerge(arena, *schema::FindKind("apps", "v1", "Deployment"),
                          read(R"({"metadata":{"labels":{"a":"b"}},"spec":{"template":{"spec":{}}}})"), patch);
  ASSERT_TRUE(merged);
  EXPECT_EQ(
      value::ToJson(patch),
      R"({"metadata":{"labels":{"a":null,"b":"c"},"annotations":{"b":"c"}},"spec":{"template":{"spec":{"affinity":{"x":[null,{}]},"tolerations":[{},{"$patch":"delete"}]}}}})");
  EXPECT_EQ(
      value::ToJson(*merged),
      R"({"metadata":{"labels":{"b":"c"},"annotations":{"b":"c"}},"spec":{"template":{"spec":{"affinity":{"x":[null,{}]},"tolerations":[{}]}}}})");
}

TEST(StrategicMerge, Errors) {
  struct {
    const char* patch;
    const char* text;
  } cases[] = {
      {R"({"name":"a","$patch":"bogus"})", "unknown patch type: bogus in map: map[$patch:bogus name:a]"},
      {R"({"name":"a","$patch":[]})", "unknown patch type: [] in map: map[$patch:[] name:a]"},
      {R"({"name":"a","$patch":7})", "unknown patch type: %!s(int64=7) in map: map[$patch:7 name:a]"},
      {R"({"name":"a","$patch":{"b":[1,"x",null,true,{"c":1.5}]}})",
       "unknown patch type: map[b:[%!s(int64=1) x <nil> %!s(bool=true) map[c:%!s(float64=1.5)]]] in map: "
       "map[$patch:map[b:[1 x <nil> true map[c:1.5]]] name:a]"},
      {R"({"image":"i:9"})", "map: map[image:i:9] does not contain declared merge key: name"},
      {R"({"$patch":"delete"})", "map: map[$patch:delete] does not contain declared merge key: name"},
      {R"("a")", "list element types are not identical: [[map[name:a resources:map[]]] [a]]"},
      {R"(["x"])", "list element types are not identical: [[map[name:a resources:map[]]] [[x]]]"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(Patched("", "Pod", Pod(R"({"name":"a","resources":{}})"), Pod(c.patch)), c.text);
  EXPECT_EQ(Patched("", "ConfigMap", R"({"metadata":{"finalizers":["a"]}})",
                    R"({"metadata":{"$setElementOrder/finalizers":"x"}})"),
            "expected a []interface {}, but received a string");
  EXPECT_EQ(Patched("", "ConfigMap", R"({"metadata":{"finalizers":["a"]}})",
                    R"({"metadata":{"$setElementOrder/finalizers":["b"],"finalizers":["e"]}})"),
            "The order in patch list:\n[e]\n doesn't match $setElementOrder list:\n[b]\n");
  EXPECT_EQ(Patched("", "ConfigMap", R"({"data":{"a":{"b":"c"}}})", R"({"data":{"a":{}}})"),
            "merging an object in json but data type is not struct, instead is: map");
  for (const char* patch :
       {R"({"data":{"a":{}}})", R"({"data":{"a":{"b":1}}})", R"({"data":{"a":{"$patch":"delete"}}})"}) {
    EXPECT_EQ(Patched("apps", "ControllerRevision", R"({"data":{"a":{"b":{}}}})", patch),
              "unable to find api field in struct RawExtension for the json field \"a\"");
  }
  EXPECT_EQ(Patched("apps", "ControllerRevision", R"({"data":{"a":{"b":{}}}})", R"({"data":{"c":{"d":1}}})"),
            R"({"data":{"a":{"b":{}},"c":{"d":1}}})");
}

TEST(StrategicMerge, OrdersThatHoldScalars) {
  const std::string live = R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})";
  const auto ordered = [&](std::string_view order) {
    return Patched("", "Pod", live, base::Cat(R"({"spec":{"$setElementOrder/containers":)", order, "}}"));
  };
  EXPECT_EQ(ordered(R"(["b","a"])"), "value for key 0 is not a map");
  EXPECT_EQ(ordered(R"([{"name":"a"},"b"])"), "value for key 1 is not a map");
}

// Each of many items of one key is merged into what the ones before it made.
TEST(StrategicMerge, BoundsWhatOnePatchMerges) {
  std::string env = "[";
  for (int i = 0; i < 5000; ++i) base::Append(env, i > 0 ? "," : "", R"({"name":"e)", i, R"("})");
  std::string items = "[";
  for (int i = 0; i < 5000; ++i)
    base::Append(items, i > 0 ? "," : "", R"({"name":"a","env":[{"name":"x)", i % 10, R"("}]})");
  EXPECT_EQ(Patched("", "Pod", base::Cat(R"({"spec":{"containers":[{"name":"a","env":)", env, "]}]}}"),
                    base::Cat(R"({"spec":{"containers":)", items, "]}}")),
            "the patch merges too many members and items");
}

}  // namespace
}  // namespace apply
