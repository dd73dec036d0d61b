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
  base::Result<> fits = GoConvert(*type, *document);
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
  };
  for (const Case& c : kCases) EXPECT_EQ(Converted(c.kind, "", "v1", c.json), c.want) << c.json;
}

TEST(GoConvert, FitsNumbers) {
  EXPECT_EQ(Converted("Pod", "", "v1", R"({"spec":{"priority":4294967297,"activeDeadlineSeconds":2.0}})"),
            R"({"spec":{"priority":1,"activeDeadlineSeconds":2}})");
  EXPECT_EQ(Converted("Pod", "", "v1", R"({"spec":{"priority":null,"unknown":true,"overhead":{"cpu":true}}})"),
            R"({"spec":{"priority":null,"unknown":true,"overhead":{"cpu":true}}})");
}

}  // namespace
}  // namespace apply
