#include "resources/apiextensions/default_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "customresources/compiled_schema.h"
#include "customresources/instance_rules.h"
#include "customresources/rule_set.h"
#include "customresources/validate.h"
#include "resources/apiextensions/schema_access.h"
#include "schema/structural_decode.h"
#include "value/member_index.h"

namespace resources::apiextensions {
namespace {

// Whether `content` has fields that `schema` (null: none) does not know. Those of a resource's metadata are known.
bool HasUnknownFields(const Value& content, const Value& schema) {
  const bool preserves = IsSet(schema, kPreserve);
  if (content.is_array()) {
    const Value items = SchemaIn(schema, "items");
    if (preserves && !items.is_object()) return false;
    return std::ranges::any_of(content.items(), [&](const Value& item) { return HasUnknownFields(item, items); });
  }
  const value::MemberIndex fields(schema.Get("properties"));
  return std::ranges::any_of(content.members(), [&](const value::Member& member) {
    if (schema.is_null()) return true;
    if (IsSet(schema, kEmbedded) && IsMetaField(member.key)) return false;
    if (const Value* field = fields.Find(member.key)) return HasUnknownFields(member.value, *field);
    if (!Has(schema, "additionalProperties")) return !preserves;
    return HasUnknownFields(member.value, SchemaIn(schema, "additionalProperties"));
  });
}

// As what was there before, and as what comes new: rules may tell these apart.
void CheckRules(const FieldPath& path, const schema::Structural& compiled, const Value& content, bool is_resource,
                customresources::ErrorList& errors) {
  const customresources::RuleSet rules(compiled, is_resource);
  std::vector<std::string> warnings;  // nothing may fail
  rules.Evaluate(content, &content, {.path = &path}, errors, warnings);
  if (errors.empty()) rules.Evaluate(content, nullptr, {.path = &path}, errors, warnings);
}

// The default of one schema. What a resource's own metadata defaults to is held against its schema alone.
void CheckDefault(Errors& errors, const FieldPath& path, const Value& schema, const schema::Structural& compiled,
                  const Value& content, bool is_resource, bool inside_meta) {
  customresources::ErrorList found;
  if (!inside_meta) {
    if (HasUnknownFields(content, schema)) {
      errors.InvalidAs(path, customresources::PrintContent(content), "must not have unknown fields");
    }
    value::Arena arena;
    Value coerced = value::DeepCopy(arena, content);
    if (auto error = schema::CoerceEmbedded(arena, coerced, compiled)) {
      error->field = base::Cat(path.text(), error->field.starts_with('[') ? "" : ".", error->field);
      return errors.Add(std::move(*error));
    }
    customresources::CheckEmbeddedResources(compiled, coerced, path, found);
  }
  if (found.empty()) {
    const std::string field = path.text();
    customresources::ValidateValue(compiled, content, {.field = field, .is_default = true}, found);
    if (found.empty() && compiled.has_validations) CheckRules(path, compiled, content, is_resource, found);
  }
  for (const api::FieldError& error : found.errors()) errors.Add(error);
}

void CheckBelow(Errors& errors, const FieldPath& path, const Value& schema, const schema::Structural& compiled,
                bool is_root, bool inside_meta) {
  if (!compiled.has_defaults) return;
  const bool is_resource = is_root || IsSet(schema, kEmbedded);
  if (is_resource) inside_meta = false;
  const Value content = schema.Get("default");
  if (!content.is_null())
    CheckDefault(errors, path.Child("default"), schema, compiled, content, is_resource, inside_meta);
  if (compiled.items != nullptr) {
    CheckBelow(errors, path.Child("items"), SchemaIn(schema, "items"), *compiled.items, false, inside_meta);
  }
  const FieldPath fields = path.Child("properties");
  for (const value::Member& field : schema.Get("properties").members()) {
    CheckBelow(errors, fields.Key(field.key), field.value, *compiled.Find(field.key), false,
               inside_meta || (is_resource && IsMetaField(field.key)));
  }
}

}  // namespace

void CheckDefaults(Errors& errors, const FieldPath& path, const Value& schema) {
  customresources::SchemaCompiler compiler;
  CheckBelow(errors, path, schema, compiler.Compile(schema)->root(), true, false);
}

}  // namespace resources::apiextensions
