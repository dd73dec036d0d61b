#include "admission/policies/object_patch.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "schema/schema.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace admission {
namespace {

using value::Value;

class ObjectPatchTest : public ::testing::Test {
 protected:
  Value Read(std::string_view json) {
    texts_.push_back(std::make_unique<std::string>(json));
    const auto read = value::ReadJson(*texts_.back(), arena_);
    EXPECT_TRUE(read) << json;
    return read ? *read : Value();
  }
  static std::string Text(const api::Result<ObjectPatch>& patched) {
    if (!patched) return patched.error().message;
    if (!patched->refused.empty()) return patched->refused;
    return patched->object.is_null() ? "unchanged" : value::ToJson(patched->object.Get("spec"));
  }
  std::string Apply(std::string_view configuration) {
    return Text(ApplyConfiguration(pod_, Read(kPod), Read(configuration), arena_));
  }
  std::string Patch(std::string_view operations) {
    return Text(ApplyJsonPatch(pod_, Read(kPod), Read(operations), arena_));
  }

  static constexpr std::string_view kPod =
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","args":["a"]}]}})";
  value::Arena arena_;
  std::vector<std::unique_ptr<std::string>> texts_;
  const PatchedKind pod_{schema::FindKind("", "v1", "Pod"), "v1", "Pod"};
};

TEST_F(ObjectPatchTest, MergesAsServerSideApplyDoes) {
  EXPECT_EQ(Apply(R"({"spec":{"containers":[{"name":"c","image":"j"}],"nodeName":"n"}})"),
            R"({"containers":[{"name":"c","image":"j","args":["a"]}],"nodeName":"n"})");
  EXPECT_EQ(Apply(R"({"spec":{"nope":5}})"),
            "error applying patch: failed to convert patch object to typed object: .spec.nope: field not declared in "
            "schema");
  EXPECT_EQ(Apply(R"({"spec":{"containers":[{"name":"c","args":["x"]}]}})"),
            "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: "
            ".spec.containers[0].args");
}

TEST_F(ObjectPatchTest, PatchesWhatClientsSee) {
  EXPECT_EQ(Patch(R"([{"op":"replace","path":"/spec/containers/0/image","value":"j"}])"),
            R"({"containers":[{"name":"c","image":"j","args":["a"]}]})");
  EXPECT_EQ(Patch(R"([{"op":"test","path":"/metadata/name","value":"q"},{"op":"remove","path":"/spec"}])"),
            "unchanged");
  EXPECT_EQ(Patch(R"([{"op":"remove","path":"/spec/none"}])").substr(0, 11), "JSON Patch:");
  EXPECT_EQ(Patch(R"([{"op":"add","path":"/spec/nope","value":1}])"),
            "Internal error occurred: strict decoding error: unknown field \"spec.nope\"");
}

TEST_F(ObjectPatchTest, ReplacesInPlace) {
  const Value object = Read(R"({"metadata":{"name":"a","labels":{"x":"y"}},"data":{"k":"v"}})");
  const Value metadata = object.Get("metadata");
  ReplaceObject(object, Read(R"({"metadata":{"name":"b"},"data":{"l":"w"}})"), arena_);
  EXPECT_EQ(value::ToJson(object), R"({"metadata":{"name":"b"},"data":{"l":"w"}})");
  EXPECT_EQ(metadata.GetString("name"), "b") << "who holds the metadata sees the change";
}

}  // namespace
}  // namespace admission
