#include "resources/apiextensions/default_rules.h"

#include <algorithm>
#include <string>

#include "api/names.h"
#include "base/text.h"
#include "registry/metadata_rules.h"
#include "registry/object_meta.h"
#include "resources/apiextensions/schema_access.h"
#include "resources/apiextensions/value_rules.h"
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

// Of apiVersion and kind, where they are texts.
void CheckTypeMember(Errors& errors, const FieldPath& path, std::string_view member, std::string_view text) {
  if (text.empty()) return errors.Invalid(path, text, "must not be empty");
  if (member == "apiVersion" && std::ranges::count(text, '/') > 1) {
    errors.Invalid(path, text, base::Cat("unexpected GroupVersion string: ", text));
  }
  if (member != "kind") return;
  const std::string complaint = base::Join(api::CheckDns1035Label(base::ToLower(text)), ",");
  if (complaint.empty()) return;
  errors.Invalid(path, text, base::Cat("may have mixed case, but should otherwise match: ", complaint));
}

void CheckEmbeddedMetadata(Errors& errors, const FieldPath& path, const Value& resource) {
  const registry::ObjectMeta meta(resource);
  api::FieldErrors found;
  registry::CheckMetadata(meta, !meta.namespace_name().empty(), nullptr, found);
  for (api::FieldError& error : std::move(found).Take()) {
    // A resource within another one needs no name.
    if (error.field == "metadata.name" && meta.name().empty()) continue;
    error.field = base::Cat(path.text(), ".", error.field);
    errors.Add(std::move(error));
  }
}

void CheckEmbedded(Errors& errors, const FieldPath& path, const Value& resource) {
  for (std::string_view member : {"apiVersion", "kind"}) {
    const Value* text = resource.Find(member);
    if (text == nullptr) {
      errors.Required(path.Child(member), "must not be empty");
    } else {
      CheckTypeMember(errors, path.Child(member), member, text->AsString());
    }
  }
  if (resource.Get("metadata").is_object()) CheckEmbeddedMetadata(errors, path, resource);
}

// The first of apiVersion and kind that is no text, within `content`; false where there is one.
bool CheckTexts(Errors& errors, const FieldPath& path, const Value& content, const Value& schema) {
  if (content.is_array()) {
    const Value items = SchemaIn(schema, "items");
    for (uint32_t i = 0; i < content.size(); ++i) {
      if (!CheckTexts(errors, path.Index(i), content[i], items)) return false;
    }
    return true;
  }
  const value::MemberIndex fields(schema.Get("properties"));
  for (const value::Member& member : content.members()) {
    const bool is_type = member.key == "apiVersion" || member.key == "kind";
    if (IsSet(schema, kEmbedded) && is_type && !member.value.is_string()) {
      errors.InvalidAs(path.Child(member.key), PrintContent(member.value), "must be a string");
      return false;
    }
    const Value* field = fields.Find(member.key);
    const Value more = SchemaIn(schema, "additionalProperties");
    if (field != nullptr && !CheckTexts(errors, path.Child(member.key), member.value, *field)) return false;
    if (field == nullptr && more.is_object() && !CheckTexts(errors, path.Key(member.key), member.value, more)) {
      return false;
    }
  }
  return true;
}

// Resources within `content` are such.
void CheckResources(Errors& errors, const FieldPath& path, const Value& content, const Value& schema) {
  if (content.is_array()) {
    const Value items = SchemaIn(schema, "items");
    for (uint32_t i = 0; i < content.size(); ++i) CheckResources(errors, path.Index(i), content[i], items);
  }
  if (!content.is_object()) return;
  if (IsSet(schema, kEmbedded)) CheckEmbedded(errors, path, content);
  const value::MemberIndex fields(schema.Get("properties"));
  for (const value::Member& member : content.members()) {
    const Value* field = fields.Find(member.key);
    if (field != nullptr) {
      CheckResources(errors, path.Child(member.key), member.value, *field);
    } else if (const Value more = SchemaIn(schema, "additionalProperties"); more.is_object()) {
      CheckResources(errors, path.Key(member.key), member.value, more);
    }
  }
}

// The default of one schema. What a resource's own metadata defaults to is held against its schema alone.
void CheckDefault(Errors& errors, const FieldPath& path, const Value& schema, const Value& content, bool inside_meta,
                  Effort& effort) {
  if (!inside_meta) {
    if (HasUnknownFields(content, schema)) {
      errors.InvalidAs(path, PrintContent(content), "must not have unknown fields");
    }
    const size_t before = errors.size();
    if (CheckTexts(errors, path, content, schema)) CheckResources(errors, path, content, schema);
    if (errors.size() > before) return;
  }
  CheckValue(errors, path, content, schema, effort);
}

void CheckBelow(Errors& errors, const FieldPath& path, const Value& schema, bool is_root, bool inside_meta,
                Effort& effort) {
  const bool is_resource = is_root || IsSet(schema, kEmbedded);
  if (is_resource) inside_meta = false;
  const Value content = schema.Get("default");
  if (!content.is_null()) CheckDefault(errors, path.Child("default"), schema, content, inside_meta, effort);
  if (const Value items = SchemaIn(schema, "items"); items.is_object()) {
    CheckBelow(errors, path.Child("items"), items, false, inside_meta, effort);
  }
  const FieldPath fields = path.Child("properties");
  for (const value::Member& field : schema.Get("properties").members()) {
    CheckBelow(errors, fields.Key(field.key), field.value, false,
               inside_meta || (is_resource && IsMetaField(field.key)), effort);
  }
}

}  // namespace

void CheckDefaults(Errors& errors, const FieldPath& path, const Value& schema, Effort& effort) {
  CheckBelow(errors, path, schema, true, false, effort);
}

}  // namespace resources::apiextensions
