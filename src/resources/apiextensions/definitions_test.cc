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

TEST_F(Definitions, DefaultsFitTheirSchema) {
  struct Case {
    std::string_view schema, errors;
  };
  const Case cases[] = {
      {R"x({"type":"string","default":1})x",
       R"x(default: Invalid value: "integer":  in body must be of type string: "integer")x"},
      {R"x({"type":"integer","default":1.5})x",
       R"x(default: Invalid value: "number":  in body must be of type integer: "number")x"},
      {R"x({"type":"integer","default":2.0})x", R"x()x"},
      {R"x({"type":"string","default":"abc","maxLength":2})x", R"x(default: Too long: may not be more than 2 bytes)x"},
      {R"x({"type":"string","default":"\u00e4\u00e4","maxLength":2,"minLength":2})x", R"x()x"},
      {R"x({"type":"string","default":"a","minLength":2})x",
       R"x(default: Invalid value: "a":  in body should be at least 2 chars long)x"},
      {R"x({"type":"string","default":"c","enum":["a","b"]})x",
       R"x(default: Unsupported value: "c": supported values: "a", "b")x"},
      {R"x({"type":"array","items":{"type":"string"},"default":[1]})x",
       R"x(default.[0]: Invalid value: "integer": [0] in body must be of type string: "integer")x"},
      {R"x({"type":"array","items":{"type":"string"},"default":["a","b"],"maxItems":1,"minItems":3})x",
       R"x(default: Invalid value: 2:  in body should have at least 3 items
default: Too many: 2: must have at most 1 items)x"},
      {R"x({"type":"object","properties":{"a":{"type":"string"}},"default":{"b":1}})x",
       R"x(default: Invalid value: map[string]interface {}{"b":1}: must not have unknown fields)x"},
      {R"x({"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"default":{}})x",
       R"x(default.a: Required value)x"},
      {R"x({"type":"object","additionalProperties":{"type":"integer"},"default":{"a":"b"}})x",
       R"x(default.a: Invalid value: "string": .a in body must be of type integer: "string")x"},
      {R"x({"type":"object","additionalProperties":{"type":"integer"},"default":{"a":1},"minProperties":2})x",
       R"x(default: Invalid value: 1:  in body should have at least 2 properties)x"},
      {R"x({"type":"integer","default":0,"minimum":1})x",
       R"x(default: Invalid value: 0:  in body should be greater than or equal to 1)x"},
      {R"x({"type":"integer","default":1,"minimum":1,"exclusiveMinimum":true})x",
       R"x(default: Invalid value: 1:  in body should be greater than 1)x"},
      {R"x({"type":"number","default":5.5,"maximum":5,"exclusiveMaximum":true})x",
       R"x(default: Invalid value: 5.5:  in body should be less than 5)x"},
      {R"x({"type":"number","default":1.5,"multipleOf":1})x",
       R"x(default: Invalid value: 1.5:  in body should be a multiple of 1)x"},
      {R"x({"type":"string","default":"x","format":"date-time"})x",
       R"x(default: Invalid value: "x":  in body must be of type date-time: "x")x"},
      {R"x({"type":"string","default":"2024-02-29T23:59:59.5Z","format":"date-time"})x", R"x()x"},
      {R"x({"type":"string","default":"2023-02-29","format":"date"})x",
       R"x(default: Invalid value: "2023-02-29":  in body must be of type date: "2023-02-29")x"},
      {R"x({"type":"string","default":"3 days","format":"duration"})x", R"x()x"},
      {R"x({"type":"string","default":"x","not":{"enum":["x"]}})x",
       R"x(default: Invalid value: "": "" must not validate the schema (not))x"},
      {R"x({"type":"integer","default":5,"anyOf":[{"maximum":1},{"minimum":7}]})x",
       R"x(default: Invalid value: "": "" must validate at least one schema (anyOf)
default: Invalid value: 5:  in body should be less than or equal to 1)x"},
      {R"x({"type":"integer","default":5,"oneOf":[{"maximum":7},{"minimum":3}]})x",
       R"x(default: Invalid value: "": "" must validate one and only one schema (oneOf). Found 2 valid alternatives)x"},
      {R"x({"type":"integer","default":5,"allOf":[{"maximum":1}]})x",
       R"x(default: Invalid value: 5:  in body should be less than or equal to 1
default: Invalid value: "": "" must validate all the schemas (allOf). None validated)x"},
      {R"x({"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"default":{"kind":"A_"}})x",
       R"x(default.apiVersion: Required value: must not be empty
default.kind: Invalid value: "A_": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))x"},
      {R"x({"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"default":{"apiVersion":1}})x",
       R"x(default.apiVersion: Invalid value: 1: must be a string)x"},
  };
  for (const Case& c : cases) EXPECT_EQ(Field(c.schema), c.errors) << c.schema;
}

TEST_F(Definitions, StoredVersionsAreFoundOnce) {
  const std::string version = Version(R"({"type":"object"})");
  EXPECT_TRUE(
      New(Spec(base::Cat(version, ",", version)))
          .ends_with(R"(status.storedVersions: Invalid value: []string{"v1"}: must have the storage version v1)"));
}

}  // namespace
}  // namespace resources::apiextensions
