// The compiler: what it keeps of a schema, what it shares, and hostile schemas.
#include "customresources/compiled_schema.h"

#include <gtest/gtest.h>

#include "apply/apply.h"
#include "base/text.h"
#include "customresources/instance_rules.h"
#include "customresources/resource_type.h"
#include "customresources/validate.h"
#include "schema/structural_decode.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace customresources {
namespace {

using value::Arena;
using value::Value;

class Schemas : public ::testing::Test {
 protected:
  Value Read(std::string_view json) { return value::ReadJson(arena_.CopyString(json), arena_).value(); }
  std::shared_ptr<const CompiledSchema> Compile(std::string_view json) { return compiler_.Compile(Read(json)); }

  // A schema of an object with that many fields of different names.
  static std::string Fields(int count, std::string_view prefix) {
    std::string schema = R"({"type":"object","properties":{)";
    for (int i = 0; i < count; ++i) {
      base::Append(schema, i == 0 ? "" : ",", "\"", prefix, i, R"(":{"type":"string","maxLength":)", i + 1, "}");
    }
    return schema + "}}";
  }

  // What is found wrong, a line each.
  std::string Errors(std::string_view schema, std::string_view object, std::string_view old = "") {
    const auto compiled = Compile(schema);
    ErrorList errors;
    std::vector<std::string> warnings;
    const InstanceSchema instance{.schema = &compiled->root()};
    if (old.empty()) {
      CheckCreate(instance, Read(object), errors, warnings);
    } else {
      CheckUpdate(instance, Read(object), Read(old), errors, warnings);
    }
    std::string text;
    for (const api::FieldError& error : errors.errors()) base::Append(text, error.field, ": ", error.Message(), "\n");
    return text;
  }

  Arena arena_;
  SchemaCompiler compiler_;
};

TEST_F(Schemas, EqualOnesAreShared) {
  const auto one = Compile(Fields(40, "f"));
  EXPECT_EQ(one, Compile(Fields(40, "f")));
  const std::string with_text = base::Cat(R"({"description":"some","title":"t","type":"object",)",
                                          Fields(40, "f").substr(std::string_view(R"({"type":"object",)").size()));
  EXPECT_EQ(one, Compile(with_text));
  EXPECT_NE(one, Compile(Fields(41, "f")));
  // A part of two definitions.
  const auto first = Compile(base::Cat(R"({"type":"object","properties":{"a":)", Fields(40, "f"), "}}"));
  const auto second = Compile(base::Cat(R"({"type":"object","properties":{"b":)", Fields(40, "f"), "}}"));
  EXPECT_EQ(first->root().Find("a"), second->root().Find("b"));
  EXPECT_EQ(first->root().Find("a"), &one->root());
  EXPECT_EQ(first->shared_parts(), 1u);
}

TEST_F(Schemas, NobodysPartsGo) {
  for (int i = 0; i < 1000; ++i) Compile(Fields(30, base::Cat("x", i, "y")));
  EXPECT_LT(compiler_.interned(), 200u);
}

TEST_F(Schemas, StayWhileOnePartIsUsed) {
  auto inner = Compile(base::Cat(R"({"type":"object","properties":{"a":)", Fields(40, "f"), "}}"));
  const schema::Structural* part = inner->root().Find("a");
  const auto other = Compile(base::Cat(R"({"type":"object","properties":{"c":)", Fields(40, "f"), "}}"));
  inner.reset();
  EXPECT_EQ(other->root().Find("c"), part);
  EXPECT_EQ(part->properties.size(), 40u);
}

TEST_F(Schemas, ManyPropertiesAreBounded) {
  std::string schema = R"({"type":"object","properties":{)";
  for (int i = 0; i < 100'000; ++i) base::Append(schema, i == 0 ? "" : ",", "\"p", i, R"(":{"type":"string"})");
  schema += "}}";
  const auto compiled = Compile(schema);
  EXPECT_EQ(compiled->root().properties.size(), 100'000u);
  EXPECT_LT(compiled->bytes(), 2 * schema.size());
  EXPECT_NE(compiled->root().Find("p99999"), nullptr);
}

TEST_F(Schemas, ClausesThatMultiplyEnd) {
  std::string clauses;
  for (int i = 0; i < 4000; ++i) base::Append(clauses, i == 0 ? "" : ",", R"({"items":{"maxLength":)", i + 5, "}}");
  const std::string schema = base::Cat(
      R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"string"},"allOf":[)", clauses, "]}}}");
  std::string object = R"({"l":[)";
  for (int i = 0; i < 5'000; ++i) object += i == 0 ? R"("a")" : R"(,"a")";
  object += "]}";
  EXPECT_TRUE(Errors(schema, object).contains("take too long to validate"));
}

TEST_F(Schemas, ErrorsAreBounded) {
  std::string object = R"({"l":[)";
  for (int i = 0; i < 200'000; ++i) object += i == 0 ? "1" : ",1";
  object += "]}";
  const std::string errors =
      Errors(R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}}})", object);
  EXPECT_LT(errors.size(), 3 * ErrorList::kMostBytes);
  EXPECT_TRUE(errors.starts_with("l[0]: Invalid value: \"integer\": l[0] in body must be of type string: \"integer\""));
}

TEST_F(Schemas, RatchetingIsByWhatDidNotChange) {
  constexpr std::string_view kSchema = R"({"type":"object","properties":{"s":{"type":"string","maxLength":2},
      "l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object",
           "properties":{"k":{"type":"string"},"v":{"type":"string","maxLength":2}}}},
      "a":{"type":"array","items":{"type":"string","maxLength":2}},"required":{"type":"object","required":["x"]}}})";
  EXPECT_EQ(Errors(kSchema, R"({"s":"long"})", R"({"s":"long"})"), "");
  EXPECT_NE(Errors(kSchema, R"({"s":"longer"})", R"({"s":"long"})"), "");
  // Items with keys are known again wherever they stand.
  EXPECT_EQ(Errors(kSchema, R"({"l":[{"k":"b","v":"x"},{"k":"a","v":"long"}]})", R"({"l":[{"k":"a","v":"long"}]})"),
            "");
  EXPECT_NE(Errors(kSchema, R"({"l":[{"k":"b","v":"long"}]})", R"({"l":[{"k":"a","v":"long"}]})"), "");
  // Those of other lists are not, but the list as a whole.
  EXPECT_EQ(Errors(kSchema, R"({"a":["long"],"s":"x"})", R"({"a":["long"]})"), "");
  EXPECT_NE(Errors(kSchema, R"({"a":["long","x"]})", R"({"a":["long"]})"), "");
  EXPECT_EQ(Errors(kSchema, R"({"required":{}})", R"({"required":{}})"), "");
}

TEST_F(Schemas, MetadataIsWhatItsTypeHolds) {
  const ResourceType type("e.com", "v1", "Thing", Compile(R"({"type":"object","properties":{
      "t":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}})"));
  schema::Findings findings;
  const auto object = schema::Decode(
      type.type(), Read(R"({"kind":"Thing","apiVersion":"e.com/v1","metadata":{"name":"a","bad":1,"labels":{}},"x":1,
                            "t":{"kind":"K","metadata":{"name":"b","worse":1},"y":1},"t":{"kind":"K","metadata":{
                            "name":"c","worse":1,"creationTimestamp":null},"y":1}})"),
      arena_, &findings);
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(base::Join(findings.in_order, ", "),
            "duplicate field \"t\", unknown field \"metadata.bad\", unknown field \"x\", unknown field "
            "\"t.metadata.worse\"");
  std::string json;
  schema::Marks marks;
  schema::EncodeJson(type.type(), *object, json, &marks);
  EXPECT_EQ(json, R"({"apiVersion":"e.com/v1","kind":"Thing","metadata":{"name":"a","resourceVersion":""},)"
                  R"("t":{"kind":"K","metadata":{"name":"c"},"y":1}})");
  EXPECT_EQ(json.substr(marks.revision - 1, 2), "\"\"");
  EXPECT_FALSE(schema::Decode(type.type(), Read(R"({"metadata":{"labels":{"a":1}}})"), arena_, nullptr));
  const auto stored = schema::DecodeStructural(type.root(), Read(R"({"metadata":{"labels":{"a":1},"name":"n"}})"),
                                               arena_, nullptr, {.drop_malformed_metadata = true});
  ASSERT_TRUE(stored);
  EXPECT_EQ(value::ToJson(*stored), R"({"metadata":{"name":"n"}})");
}

TEST_F(Schemas, ApplyMergesByTheSchema) {
  const ResourceType type("e.com", "v1", "Thing", Compile(R"({"type":"object","properties":{"spec":{"type":"object",
      "properties":{
        "map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","p"],"items":{
           "type":"object","properties":{"k":{"type":"string"},"p":{"type":"integer","default":80},"v":{"type":"string"}}}},
        "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
        "atomic":{"type":"array","items":{"type":"string"}},
        "whole":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"string"},"b":{"type":"string"}}},
        "lists":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set",
           "items":{"type":"integer"}}},
        "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
        "either":{"x-kubernetes-int-or-string":true}}}}})"));
  apply::Writer writer{.manager = "m", .api_version = "e.com/v1", .now = "2024-01-01T00:00:00Z"};
  const auto none = [](const Value&, std::string_view, std::string_view) -> std::optional<apply::VersionedObject> {
    return std::nullopt;
  };
  const Value live = Read(R"({"apiVersion":"e.com/v1","kind":"Thing","metadata":{"name":"a","managedFields":[{
      "apiVersion":"e.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:set":{"v:\"x\"":{}},"f:free":{"f:old":{}}}},
      "manager":"other","operation":"Update"}]},
      "spec":{"map":[{"k":"a","p":80,"v":"1"}],"set":["x"],"atomic":["x"],"whole":{"a":"1"},"lists":{"l":[1]},
              "free":{"old":{"deep":1}},"either":"5"}})");
  const Value config = Read(R"({"apiVersion":"e.com/v1","kind":"Thing","metadata":{"name":"a"},
      "spec":{"map":[{"k":"a","v":"2"},{"k":"b","p":81}],"set":["y"],"atomic":["y"],"whole":{"b":"2"},
              "lists":{"l":[2],"k":[3]},"free":{"new":[1]},"either":6}})");
  apply::ApplyOptions options;
  options.force = true;
  const auto applied = apply::Apply(arena_, type.type(), live, config, writer, options, none);
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(value::ToJson(applied->object.Get("spec"), value::KeyOrder::kSorted),
            R"({"atomic":["y"],"either":6,"free":{"new":[1],"old":{"deep":1}},"lists":{"k":[3],"l":[1,2]},)"
            R"("map":[{"k":"a","p":80,"v":"2"},{"k":"b","p":81}],"set":["x","y"],"whole":{"b":"2"}})");
  const Value managed = applied->object.Get({"metadata", "managedFields"});
  ASSERT_EQ(managed.size(), 2u);
  EXPECT_EQ(value::ToJson(managed[0].Get("fieldsV1"), value::KeyOrder::kSorted),
            R"({"f:spec":{"f:atomic":{},"f:either":{},"f:free":{"f:new":{}},"f:lists":{"f:k":{".":{},"v:3":{}},)"
            R"("f:l":{".":{},"v:2":{}}},"f:map":{"k:{\"k\":\"a\",\"p\":80}":{".":{},"f:k":{},"f:v":{}},)"
            R"("k:{\"k\":\"b\",\"p\":81}":{".":{},"f:k":{},"f:p":{}}},"f:set":{"v:\"y\"":{}},"f:whole":{}}})");

  const auto refused = [&](std::string_view spec) {
    const Value sent =
        Read(base::Cat(R"({"apiVersion":"e.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":)", spec, "}"));
    const auto result = apply::Apply(arena_, type.type(), live, sent, writer, options, none);
    return result ? std::string() : result.error().message;
  };
  EXPECT_TRUE(refused(R"({"unknown":1})").ends_with(".spec.unknown: field not declared in schema"));
  EXPECT_TRUE(refused(R"({"set":["a","a"]})").contains("duplicate entries for key"));
  EXPECT_TRUE(refused(R"({"map":[{"v":"a"}]})").contains("omits key field \"k\""));
  EXPECT_TRUE(refused(R"({"set":"a"})").contains("expected list"));
}

}  // namespace
}  // namespace customresources
