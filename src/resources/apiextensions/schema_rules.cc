#include "resources/apiextensions/schema_rules.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/text.h"
#include "resources/apiextensions/default_rules.h"
#include "resources/apiextensions/expression_rules.h"
#include "resources/apiextensions/list_rules.h"
#include "resources/apiextensions/schema_access.h"
#include "resources/apiextensions/structural_schema.h"
#include "value/json_writer.h"

namespace resources::apiextensions {
namespace {

constexpr std::array<std::string_view, 6> kTypes = {"array", "boolean", "integer", "number", "object", "string"};

// Keywords that would be lost at the root, where the status is looked at apart.
constexpr std::string_view kLostAtRoot[] = {"id",
                                            "$schema",
                                            "$ref",
                                            "nullable",
                                            "default",
                                            "enum",
                                            "maxProperties",
                                            "minProperties",
                                            "allOf",
                                            "oneOf",
                                            "anyOf",
                                            "not",
                                            "additionalProperties",
                                            "patternProperties",
                                            "dependencies",
                                            "additionalItems",
                                            "definitions",
                                            kEmbedded,
                                            kIntOrString,
                                            kListMapKeys,
                                            kListType,
                                            kMapType};

void CheckRootWithStatus(Errors& errors, const FieldPath& path, const Value& schema) {
  for (const value::Member& member : schema.members()) {
    if (member.key == "type" && member.value.AsString() != "object") {
      return errors.Invalid(path.Child("type"), member.value,
                            "only \"object\" is allowed as the type at the root of the schema if the status "
                            "subresource is enabled");
    }
    if (std::ranges::find(kLostAtRoot, member.key) == std::end(kLostAtRoot)) continue;
    return errors.InvalidAs(
        path, base::Cat("apiextensions.JSONSchemaProps", value::ToJson(schema)),
        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
        "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
        "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at "
        "the root of the schema if the status subresource is enabled");
  }
}

// What the way from the root forbids further inside.
struct Place {
  bool is_root = false;
  bool inside_meta = false;
  std::string no_default;    // why there may be no default; "" there may
  std::string uncorrelated;  // the part of the schema, around, whose old values are not known; "" none
  const ExpressionScope* expressions = nullptr;  // null where they are not compiled
};

// Keywords of the document language that definitions do not take.
void CheckKeywords(Errors& errors, const FieldPath& path, const Value& schema, const Place& place) {
  const std::string_view type = schema.GetString("type");
  if (!type.empty() && std::ranges::find(kTypes, type) == kTypes.end()) {
    errors.NotSupported(path.Child("type"), type, kTypes);
  }
  if (Has(schema, "default") && !place.no_default.empty()) {
    errors.Forbidden(path.Child("default"), base::Cat("must not be set ", place.no_default));
  }
  const auto refuse = [&](std::string_view keyword, bool there) {
    if (there) errors.Forbidden(path.Child(keyword), base::Cat(keyword, " is not supported"));
  };
  refuse("id", !schema.GetString("id").empty());
  refuse("additionalItems", Has(schema, "additionalItems"));
  refuse("patternProperties", !schema.Get("patternProperties").empty());
  refuse("definitions", !schema.Get("definitions").empty());
  refuse("dependencies", Has(schema, "dependencies"));
  refuse("$ref", Has(schema, "$ref"));
  if (type == "null") {
    errors.Forbidden(path.Child("type"), "type cannot be set to null, use nullable as an alternative");
  }
  if (!schema.Get("items").items().empty()) {
    errors.Forbidden(path.Child("items"), "items must be a schema object and not an array");
  }
  if (place.inside_meta && IsSet(schema, kEmbedded)) {
    errors.Forbidden(path.Child(kEmbedded), "must not be used inside of resource meta");
  }
}

class Walk {
 public:
  Walk(Errors& errors, const ExpressionOptions& expressions) : errors_(errors), expressions_(expressions) {}

  void Check(const FieldPath& path, const Value& schema, const Place& place) {
    if (!schema.is_object()) return;
    const size_t before = errors_.size();
    CheckKeywords(errors_, path, schema, place);
    if (IsSet(schema, "uniqueItems")) {
      errors_.Forbidden(path.Child("uniqueItems"),
                        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    CheckFields(path, schema, place);
    CheckClauses(path, schema, place);
    if (Has(schema, kPreserve) && !IsSet(schema, kPreserve)) {
      errors_.Invalid(path.Child(kPreserve), Value::Bool(false), "must be true or undefined");
    }
    CheckMapAndListTypes(errors_, path, schema);
    CheckExpressionTexts(errors_, path, schema);
    // Where the schema is wrong, here or below, errors of the compiler would mislead.
    if (place.expressions == nullptr || errors_.size() > before) return;
    CompileExpressions(of_expressions_, path, schema, *place.expressions, place.uncorrelated, expressions_);
  }

  // Those of expressions come behind all others.
  api::FieldErrors TakeExpressionErrors() { return std::move(of_expressions_).Take(); }

 private:
  void CheckFields(const FieldPath& path, const Value& schema, const Place& place) {
    Place inside = place;
    inside.is_root = false;
    const Value properties = schema.Get("properties"), more = schema.Get("additionalProperties");
    if (!more.is_null()) {
      const bool allows_any = more.is_bool() && more.AsBool();
      if (!properties.empty() && !allows_any) {
        errors_.Forbidden(path.Child("additionalProperties"),
                          "additionalProperties and properties are mutual exclusive");
      }
      Place values = inside;
      if (place.inside_meta) values.no_default = "inside additionalProperties applying to object metadata";
      CheckElement(path.Child("additionalProperties"), more, values);
    }
    const FieldPath fields = path.Child("properties");
    const bool correlated =
        !Has(schema, kMapType) || schema.GetString(kMapType) == "granular" || schema.GetString(kMapType) == "atomic";
    for (const value::Member& field : properties.members()) {
      Place at = inside;
      if (!correlated && at.uncorrelated.empty()) at.uncorrelated = path.text();
      if ((place.is_root || IsSet(schema, kEmbedded)) && IsMetaField(field.key)) {
        at.inside_meta = true;
        if (place.is_root) at.no_default = base::Cat("in top-level ", field.key);
      }
      if (place.expressions == nullptr) {
        Check(fields.Key(field.key), field.value, at);
        continue;
      }
      const ExpressionScope scope = place.expressions->Property(field.value, field.key);
      at.expressions = &scope;
      Check(fields.Key(field.key), field.value, at);
    }
  }

  void CheckElement(const FieldPath& path, const Value& schema, Place place) {
    if (place.expressions == nullptr) return Check(path, schema, place);
    const ExpressionScope scope = place.expressions->Element(schema);
    place.expressions = &scope;
    Check(path, schema, place);
  }

  void CheckClauses(const FieldPath& path, const Value& schema, const Place& place) {
    Place inside = place;
    inside.is_root = false;
    inside.expressions = nullptr;
    Check(path.Child("not"), schema.Get("not"), inside);
    for (std::string_view junctor : {"allOf", "oneOf", "anyOf"})
      CheckList(path.Child(junctor), schema.Get(junctor), inside);
    CheckMap(path.Child("definitions"), schema.Get("definitions"), inside);
    const Value items = schema.Get("items");
    Place item = inside;
    item.expressions = place.expressions;
    if (schema.GetString(kListType) != "map" && item.uncorrelated.empty()) item.uncorrelated = path.text();
    CheckElement(path.Child("items"), items, item);
    CheckList(path.Child("items"), items, inside);
    CheckMap(path.Child("dependencies"), schema.Get("dependencies"), inside);
  }

  void CheckList(const FieldPath& path, const Value& schemas, const Place& place) {
    for (uint32_t i = 0; i < schemas.items().size(); ++i) Check(path.Index(i), schemas[i], place);
  }
  void CheckMap(const FieldPath& path, const Value& schemas, const Place& place) {
    for (const value::Member& schema : schemas.members()) Check(path.Key(schema.key), schema.value, place);
  }

  Errors& errors_;
  Errors of_expressions_;
  const ExpressionOptions& expressions_;
};

}  // namespace

void CheckSchema(Errors& errors, const FieldPath& path, const Value& validation, const SchemaOptions& options) {
  const Value schema = validation.Get("openAPIV3Schema");
  if (!schema.is_object()) return;
  const size_t before = errors.size();
  const FieldPath at = path.Child("openAPIV3Schema");
  if (options.has_status) CheckRootWithStatus(errors, at, schema);
  if (IsSet(schema, "nullable")) errors.Forbidden(at.Child("nullable"), "nullable cannot be true at the root");
  std::string unsupported;
  bool compiles = false;
  if (options.must_be_structural) {
    unsupported = UnsupportedKeyword(schema);
    const size_t structural = errors.size();
    if (unsupported.empty()) CheckStructural(errors, at, schema);
    if (unsupported.empty() && errors.size() == structural) CheckDefaults(errors, at, schema);
    compiles = unsupported.empty() && errors.size() == structural;
  }
  TotalCost total;
  const ExpressionScope scope(schema, total);
  Walk walk(errors, options.expressions);
  walk.Check(at, schema, {.is_root = true, .expressions = compiles ? &scope : nullptr});
  for (api::FieldError& error : walk.TakeExpressionErrors().Take()) errors.Add(std::move(error));
  // Told only where nothing else is.
  if (errors.size() == before && !unsupported.empty()) errors.Invalid(at, "", unsupported);
  total.Tell(errors, at);
}

}  // namespace resources::apiextensions
