#include "registry/metadata_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "value/json_reader.h"

namespace registry {
namespace {

std::string Text(const api::FieldErrors& errors) {
  std::string text;
  for (const api::FieldError& error : errors)
    base::Append(text, text.empty() ? "" : "\n", error.field, ": ", error.Message());
  return text;
}

struct Case {
  const char* about;
  std::string metadata, error;
};

constexpr std::string_view kLabelTail =
    "must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character "
    "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

TEST(MetadataRules, HoldNewMetadata) {
  const std::string long_text(300, 'x');
  const Case cases[] = {
      {"all is well", R"("name":"x","namespace":"ns","generateName":"x-","finalizers":["a.b/c"],"generation":1)", ""},
      {"a prefix that no name may have", R"("name":"x","namespace":"ns","generateName":"-x")",
       base::Cat("metadata.generateName: Invalid value: \"-x\": a lowercase RFC 1123 label ", kLabelTail)},
      {"no name", R"("namespace":"ns")", "metadata.name: Required value: name or generateName is required"},
      {"no namespace", R"("name":"x")", "metadata.namespace: Required value"},
      {"a namespace that cannot be", R"("name":"x","namespace":"N")",
       base::Cat("metadata.namespace: Invalid value: \"N\": a lowercase RFC 1123 label ", kLabelTail)},
      {"a negative generation", R"("name":"x","namespace":"ns","generation":-1)",
       "metadata.generation: Invalid value: -1: must be greater than or equal to 0"},
      {"annotations of more than 256 KiB",
       base::Cat(R"("name":"x","namespace":"ns","annotations":{"a":")", std::string(262144, 'x'), "\"}"),
       "metadata.annotations: Too long: may not be more than 262144 bytes"},
      {"an event as owner",
       R"("name":"x","namespace":"ns","ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"e","uid":"u"}])",
       R"(metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"u"}: )"
       "/v1, Kind=Event is disallowed from being an owner"},
      {"two controllers",
       R"("name":"x","namespace":"ns","ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"u","controller":true},)"
       R"({"apiVersion":"v1","kind":"B","name":"b","uid":"v","controller":true}])",
       R"(metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"A","name":"a","uid":"u","controller":true},)"
       R"({"apiVersion":"v1","kind":"B","name":"b","uid":"v","controller":true}]: Only one reference can have Controller )"
       R"(set to true. Found "true" in references for A/a and B/b)"},
      {"managed fields that are as they should be",
       R"("name":"x","namespace":"ns","managedFields":[{"operation":"Apply","fieldsType":"FieldsV1","manager":"m"}])",
       ""},
      {"managed fields of no operation", R"("name":"x","namespace":"ns","managedFields":[{"operation":"Put"}])",
       "metadata.managedFields[0].operation: Invalid value: \"Put\": must be `Apply` or `Update`"},
      {"managed fields of another form",
       R"("name":"x","namespace":"ns","managedFields":[{"operation":"Update","fieldsType":"FieldsV2"}])",
       "metadata.managedFields[0].fieldsType: Invalid value: \"FieldsV2\": must be `FieldsV1`"},
      {"a manager's long name",
       base::Cat(R"("name":"x","namespace":"ns","managedFields":[{"operation":"Update","manager":")", long_text,
                 "\"}]"),
       "metadata.managedFields[0].manager: Too long: may not be more than 128 bytes"},
      {"a subresource's long name",
       base::Cat(R"("name":"x","namespace":"ns","managedFields":[{"operation":"Update","subresource":")", long_text,
                 "\"}]"),
       "metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes"},
  };
  for (const Case& c : cases) {
    Arena arena;
    const std::string text = base::Cat(R"({"metadata":{)", c.metadata, "}}");
    api::FieldErrors errors;
    CheckMetadata(ObjectMeta(value::ReadJson(text, arena).value()), true, api::CheckNameIsDnsLabel, errors);
    EXPECT_EQ(Text(errors), c.error) << c.about;
  }
  Arena arena;
  api::FieldErrors errors;
  CheckMetadata(ObjectMeta(value::ReadJson(R"({"metadata":{"name":"x","namespace":"ns"}})", arena).value()), false,
                nullptr, errors);
  EXPECT_EQ(Text(errors), "metadata.namespace: Forbidden: not allowed on this type");
}

TEST(MetadataRules, HoldWhatMayNotChange) {
  constexpr std::string_view kOld =
      R"({"metadata":{"name":"x","namespace":"ns","uid":"u","resourceVersion":"1","generation":2,)"
      R"("creationTimestamp":"2024-01-02T03:04:05Z","deletionGracePeriodSeconds":30}})";
  const Case cases[] = {
      {"all as it was", "", ""},
      {"no version", R"("resourceVersion":"")",
       "metadata.resourceVersion: Invalid value: \"\": must be specified for an update"},
      {"an older generation", R"("generation":1)", "metadata.generation: Invalid value: 1: must not be decremented"},
      {"another name", R"("name":"y")", "metadata.name: Invalid value: \"y\": field is immutable"},
      {"another namespace", R"("namespace":"other")",
       "metadata.namespace: Invalid value: \"other\": field is immutable"},
      {"another object", R"("uid":"v")", "metadata.uid: Invalid value: \"v\": field is immutable"},
      {"created at another time", R"("creationTimestamp":"2024-01-02T03:04:06Z")",
       "metadata.creationTimestamp: Invalid value: 2024-01-02 03:04:06 +0000 UTC: field is immutable"},
      {"deleted", R"("deletionTimestamp":"2024-01-02T03:04:06Z")",
       "metadata.deletionTimestamp: Invalid value: 2024-01-02 03:04:06 +0000 UTC: field is immutable"},
      {"another period of grace", R"("deletionGracePeriodSeconds":31)",
       "metadata.deletionGracePeriodSeconds: Invalid value: 31: field is immutable"},
  };
  for (const Case& c : cases) {
    Arena arena;
    const ObjectMeta old(value::ReadJson(kOld, arena).value());
    const std::string text = base::Cat("{", c.metadata, "}");
    const Value object = value::ReadJson(kOld, arena).value(), changes = value::ReadJson(text, arena).value();
    for (const value::Member& change : changes.members()) object.Get("metadata").Set(arena, change.key, change.value);
    api::FieldErrors errors;
    CheckMetadataUpdate(ObjectMeta(object), old, errors);
    EXPECT_EQ(Text(errors), c.error) << c.about;
  }
}

// Each bad owner could print all of them, each bad label the rule for labels.
TEST(MetadataRules, KeepNoMoreThanTheyMay) {
  value::Arena arena;
  const value::Value metadata = value::Value::Object(arena), object = value::Value::Object(arena);
  const value::Value owners = value::Value::Array(arena), labels = value::Value::Object(arena);
  object.Add(arena, "metadata", metadata);
  metadata.Add(arena, "name", value::Value::String("n"));
  metadata.Add(arena, "labels", labels);
  metadata.Add(arena, "ownerReferences", owners);
  for (int i = 0; i < 20000; ++i) {
    labels.Add(arena, arena.CopyString("-" + std::to_string(i)), value::Value::String("-"));
    const value::Value owner = value::Value::Object(arena, 5);
    for (std::string_view key : {"apiVersion", "kind", "name", "uid"}) owner.Add(arena, key, value::Value::String("v"));
    owner.Add(arena, "controller", value::Value::Bool(true));
    owners.Append(arena, owner);
  }
  api::FieldErrors errors;
  CheckMetadata(ObjectMeta(object), false, nullptr, errors);
  EXPECT_TRUE(errors.full());
  EXPECT_LT(errors.bytes(), 3 * api::FieldErrors::kMostBytes);
}

}  // namespace
}  // namespace registry
