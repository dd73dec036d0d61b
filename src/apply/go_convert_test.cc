#include "apply/go_convert.h"

#include <gtest/gtest.h>

#include "value/json_reader.h"
#include "value/json_writer.h"

namespace apply {
namespace {

using value::Arena;

// The document after it was held against the type, or the error's text.
std::string Converted(std::string_view kind, std::string_view group, std::string_view version, std::string_view json) {
  Arena arena;
  const schema::Type* type = schema::FindKind(group, version, kind);
  base::Result<value::Value> document = value::ReadJson(json, arena);
  if (type == nullptr || !document) return "no such case";
  base::Result<> fits = GoConvert(arena, *type, *document);
  return fits ? value::ToJson(*document) : fits.error().message;
}

TEST(GoConvert, SaysWhatDoesNotFit) {
  struct Case {
    std::string_view kind, json, want;
  };
  constexpr Case kCases[] = {
      {"ConfigMap", R"({"data":0})", "cannot restore map from int64"},
      {"ConfigMap", R"({"data":1.5})", "cannot restore map from float64"},
      {"ConfigMap", R"({"data":{"a":1}})", "cannot convert int64 to string"},
      {"ConfigMap", R"({"data":{"a":1.5}})", "unrecognized type: string"},
      {"ConfigMap", R"({"data":{"a":null},"immutable":"x"})", "unrecognized type: bool"},
      {"ConfigMap", R"({"metadata":{"generation":1.5}})", "cannot convert float64 to int64"},
      {"ConfigMap", R"({"metadata":[]})", "cannot restore struct from: slice"},
      {"Pod", R"({"spec":{"preemptionPolicy":0}})", "cannot convert int64 to v1.PreemptionPolicy"},
      {"Pod", R"({"spec":{"preemptionPolicy":true}})", "unrecognized type: string"},
      {"Pod", R"({"spec":{"containers":{}}})", "cannot restore slice from map"},
      {"Pod", R"({"spec":{"containers":[true]}})", "cannot restore struct from: bool"},
      {"Pod", R"({"spec":{"overhead":"x"}})", "cannot restore map from string"},
      {"Pod", R"({"spec":{"priority":"1"}})", "unrecognized type: int32"},
      {"Pod", R"({"metadata":{"generation":"x"},"spec":5})", "unrecognized type: int64"},
      {"Secret", R"({"data":{"a":5}})", "cannot restore slice from int64"},
      {"Secret", R"({"data":{"a":["x"]}})", "unrecognized type: uint8"},
      {"Secret", R"({"data":{"a":[1.5]}})", "cannot convert float64 to uint8"},
  };
  for (const Case& c : kCases) EXPECT_EQ(Converted(c.kind, "", "v1", c.json), c.want) << c.json;
}

TEST(GoConvert, WritesRawDocumentsAnew) {
  EXPECT_EQ(Converted("ControllerRevision", "apps", "v1",
                      R"({"data":{"b":[{"z":1.0,"y":1e3}],"a":12345678901234567890,"b2":null,"a":{"d":1,"c":"x"}}})"),
            R"({"data":{"a":{"c":"x","d":1},"b":[{"y":1000,"z":1}],"b2":null}})");
  Arena arena;
  const schema::Type* type = schema::FindKind("apps", "v1", "ControllerRevision");
  const value::Value document = *value::ReadJson(R"({"data":{"b":1,"a":2}})", arena), before = document.Get("data");
  ASSERT_TRUE(GoConvert(arena, *type, document).has_value());
  EXPECT_EQ(value::ToJson(before), R"({"b":1,"a":2})");  // others may have it too
}

TEST(GoConvert, TakesBytesOneByOne) {
  EXPECT_EQ(Converted("Secret", "", "v1", R"({"data":{"a":[97,354.0,null],"b":[],"c":"YQ=="}})"),
            R"({"data":{"a":"YWIA","b":"","c":"YQ=="}})");
}

TEST(GoConvert, FitsNumbers) {
  EXPECT_EQ(Converted("Pod", "", "v1", R"({"spec":{"priority":4294967297,"activeDeadlineSeconds":2.0}})"),
            R"({"spec":{"priority":1,"activeDeadlineSeconds":2}})");
  EXPECT_EQ(Converted("Pod", "", "v1", R"({"spec":{"priority":null,"unknown":true,"overhead":{"cpu":true}}})"),
            R"({"spec":{"priority":null,"unknown":true,"overhead":{"cpu":true}}})");
}

TEST(GoConvert, WritesAnewWhatIsKeptAsSent) {
  EXPECT_EQ(Converted("ControllerRevision", "apps", "v1",
                      R"({"data":{"b":[1.0, 1e3, -1.5],"a":1,"b2":{"y":1,"x":{}},"a":2}})"),
            R"({"data":{"a":2,"b":[1,1000,-1.5],"b2":{"x":{},"y":1}}})");
}

TEST(GoConvert, WritesAnewWhatReadsItsOwnText) {
  EXPECT_EQ(Converted("Service", "", "v1", R"({"spec":{"ports":[{"targetPort":8e1},{"targetPort":"8e1"}]}})"),
            R"({"spec":{"ports":[{"targetPort":80},{"targetPort":"8e1"}]}})");
  EXPECT_EQ(Converted("Pod", "", "v1", R"({"spec":{"overhead":{"cpu":2.0,"memory":1.50}}})"),
            R"({"spec":{"overhead":{"cpu":2,"memory":1.5}}})");
}

}  // namespace
}  // namespace apply
