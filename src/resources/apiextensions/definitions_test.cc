// Custom resource definitions: each rule with a definition that breaks it, and one that keeps all.
#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::apiextensions {
namespace {

class Definitions : public ::testing::Test {
 protected:
  static std::string Spec(std::string_view versions, std::string_view more = "") {
    return base::Cat(R"("spec":{"group":"e.com","scope":"Cluster","names":{"plural":"xs","kind":"X"},"versions":[)",
                     versions, "]", more.empty() ? "" : ",", more, "}");
  }
  static std::string Version(std::string_view schema, std::string_view more = "") {
    return base::Cat(R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)", schema, "}",
                     more.empty() ? "" : ",", more, "}");
  }
  // The errors of a new definition but that its name is another.
  std::string New(std::string_view members) {
    std::string errors = definitions_.Create(members);
    const std::string name = R"(metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group)";
    EXPECT_TRUE(errors.starts_with(name)) << errors;
    errors.erase(0, std::min(errors.size(), name.size() + 1));
    return errors;
  }
  std::string Schema(std::string_view schema) { return New(Spec(Version(schema))); }
  // The errors of a field's schema, without the path to it.
  std::string Field(std::string_view schema) {
    std::string errors = Schema(base::Cat(R"({"type":"object","properties":{"f":)", schema, "}}"));
    for (constexpr std::string_view kAt = "spec.validation.openAPIV3Schema.properties[f]."; errors.contains(kAt);) {
      errors.erase(errors.find(kAt), kAt.size());
    }
    return errors;
  }
  KindFixture definitions_{"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition",
                           false};
};

TEST_F(Definitions, Names) {
  EXPECT_EQ(Schema(R"({"type":"object"})"), "");
  EXPECT_EQ(
      New(R"("spec":{})"),
      "spec.group: Required value\nspec.scope: Required value\nspec.versions: Invalid value: "
      "[]apiextensions.CustomResourceDefinitionVersion(nil): must have exactly one version marked as storage "
      "version\nspec.names.plural: Required value\nspec.names.singular: Required value\nspec.names.kind: Required "
      "value\nspec.names.listKind: Required value\nstatus.storedVersions: Invalid value: []string(nil): must have "
      "at least one stored version");
  EXPECT_EQ(New(Spec(Version(R"({"type":"object"})"), R"("preserveUnknownFields":true)")),
            "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
            "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
  EXPECT_EQ(New(Spec(Version(R"({"type":"object"})"), R"("conversion":{"strategy":"Webhook"})")),
            "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook\n"
            "spec.conversion.conversionReviewVersions: Required value");
  EXPECT_EQ(New(Spec(R"({"name":"v1","served":true,"storage":true})")),
            "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required");
}

TEST_F(Definitions, Roots) {
  const std::string at = "spec.validation.openAPIV3Schema.";
  EXPECT_EQ(Schema(R"({"type":"array","items":{"type":"string"}})"),
            at + "type: Invalid value: \"array\": must be object at the root");
  EXPECT_EQ(Schema("{}"), at + "type: Required value: must not be empty at the root");
  EXPECT_EQ(Schema(R"({"type":"object","nullable":true})"),
            at + "nullable: Forbidden: nullable cannot be true at the root");
  EXPECT_EQ(Schema(R"({"type":"object","additionalProperties":true})"),
            at + "additionalProperties: Forbidden: must not be used at the root");
  EXPECT_EQ(Schema(R"({"type":"object","properties":{"metadata":{"type":"object","description":"d"}}})"),
            at + "properties[metadata]: Forbidden: must not specify anything other than name and generateName, but "
                 "metadata is implicitly specified");
  EXPECT_EQ(Schema(R"({"type":"object","properties":{"kind":{"type":"string","default":"x"}}})"),
            at + "properties[kind].default: Forbidden: must not be set in top-level kind");
  EXPECT_EQ(New(Spec(Version(R"({"type":"object","properties":{}})", R"("subresources":{"status":{}})"))), "");
  EXPECT_EQ(Schema(R"({"type":"object","$schema":"x"})"),
            "spec.validation.openAPIV3Schema: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported");
}

TEST_F(Definitions, Fields) {
  struct {
    const char *schema, *errors;
  } cases[] = {
      {R"({"type":"string"})", ""},
      {R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})", ""},
      {"{}", "type: Required value: must not be empty for specified object fields"},
      {R"({"type":"array"})", "items: Required value: must be specified"},
      {R"({"type":"text"})",
       "type: Unsupported value: \"text\": supported values: \"array\", \"boolean\", \"integer\", \"number\", "
       "\"object\", "
       "\"string\""},
      {R"({"type":"string","allOf":[{"type":"string","default":"x"}]})",
       "allOf[0].default: Forbidden: must be undefined to be structural\n"
       "allOf[0].type: Forbidden: must be empty to be structural"},
      {R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false})",
       "additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"},
      {R"({"type":"object","properties":{"a":{"type":"string"}},"default":{"b":1}})",
       "default: Invalid value: map[string]interface {}{\"b\":1}: must not have unknown fields"},
      {R"({"type":"string","x-kubernetes-preserve-unknown-fields":false})",
       "x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"},
      {R"({"type":"object","x-kubernetes-embedded-resource":true})",
       "properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without "
       "x-kubernetes-preserve-unknown-fields"},
      {R"({"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}}},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]})",
       "items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a "
       "default or be a required property"},
      {R"({"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"set"})",
       "items.x-kubernetes-map-type: Invalid value: \"null\": must be atomic as item of a list with "
       "x-kubernetes-list-type=set"},
      {R"({"type":"string","x-kubernetes-validations":[{"rule":" "},{"rule":"a\nb"},{"rule":"a","reason":"x","fieldPath":".b"}]})",
       "x-kubernetes-validations[0].rule: Required value: rule is not specified\n"
       "x-kubernetes-validations[1].message: Required value: message must be specified if rule contains line breaks\n"
       "x-kubernetes-validations[2].reason: Unsupported value: \"x\": supported values: \"FieldValueDuplicate\", "
       "\"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\"\n"
       "x-kubernetes-validations[2].fieldPath: Invalid value: \".b\": fieldPath must be a valid path"},
  };
  for (const auto& c : cases) EXPECT_EQ(Field(c.schema), c.errors) << c.schema;
}

TEST_F(Definitions, VersionsBesideSchemas) {
  const std::string schema =
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}})";
  EXPECT_EQ(New(Spec(Version(schema, R"("selectableFields":[{"jsonPath":".spec.a"}],"subresources":{"scale":{
      "specReplicasPath":".spec.n","statusReplicasPath":".status.n","labelSelectorPath":".status.s"}})"))),
            "");
  EXPECT_EQ(
      New(Spec(Version(schema, R"("selectableFields":[{"jsonPath":".spec.b"},{"jsonPath":".spec"},{}])"))),
      "spec.selectableFields[0].jsonPath: Invalid value: \".spec.b\": is an invalid path: does not refer to a valid "
      "field\nspec.selectableFields[1].jsonPath: Invalid value: \".spec\": must point to a field of type string, "
      "boolean or integer. Enum string fields and strings with formats are allowed.\n"
      "spec.selectableFields[2].jsonPath: Required value");
  EXPECT_EQ(
      New(Spec(Version(
          schema,
          R"("deprecationWarning":"x","subresources":{"scale":{"specReplicasPath":"n","statusReplicasPath":".spec.n"}},
      "additionalPrinterColumns":[{"format":"x","jsonPath":"a"}])"))),
      "spec.versions[0].deprecationWarning: Invalid value: \"x\": can only be set for deprecated versions\n"
      "spec.subresources.scale.specReplicasPath: Invalid value: \"n\": must be a simple json path starting with .\n"
      "spec.subresources.scale.statusReplicasPath: Invalid value: \".spec.n\": should be a json path under .status\n"
      "spec.additionalPrinterColumns[0].name: Required value\n"
      "spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string\n"
      "spec.additionalPrinterColumns[0].format: Invalid value: \"x\": must be one of "
      "byte,date,date-time,double,float,int32,int64,password\n"
      "spec.additionalPrinterColumns[0].JSONPath: Invalid value: \"a\": must be a simple json path starting with .");
}

TEST_F(Definitions, Changes) {
  const std::string before = Spec(Version(R"({"type":"object"})"));
  const std::string established =
      base::Cat(before, R"(,"status":{"storedVersions":["v1"],"conditions":[{"type":"Established","status":"True"}]})");
  std::string changed = before;
  changed.replace(changed.find("Cluster"), 7, "Namespaced");
  EXPECT_EQ(definitions_.Update(before, changed), "");
  EXPECT_EQ(definitions_.Update(established, changed), "spec.scope: Invalid value: \"Namespaced\": field is immutable");
  std::string other = before;
  other.replace(other.find("\"v1\""), 4, "\"v2\"");
  EXPECT_EQ(definitions_.Update(established, other),
            "status.storedVersions[0]: Invalid value: \"v1\": must appear in spec.versions");
}

}  // namespace
}  // namespace resources::apiextensions
