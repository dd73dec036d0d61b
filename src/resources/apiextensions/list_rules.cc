#include "resources/apiextensions/list_rules.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "base/text.h"
#include "resources/apiextensions/schema_access.h"
#include "value/member_index.h"

namespace resources::apiextensions {
namespace {

constexpr std::array<std::string_view, 2> kMapTypes = {"atomic", "granular"};
constexpr std::array<std::string_view, 3> kListTypes = {"atomic", "set", "map"};
constexpr std::string_view kAtomicItem = "must be atomic as item of a list with x-kubernetes-list-type=set";

// The type that an extension goes with.
void CheckType(Errors& errors, const FieldPath& path, const Value& schema, std::string_view wanted,
               std::string_view extension) {
  const std::string_view type = schema.GetString("type");
  if (type == wanted) return;
  const std::string detail = base::Cat("must be ", wanted, " if ", extension, " is specified");
  if (type.empty()) return errors.Required(path.Child("type"), detail);
  errors.Invalid(path.Child("type"), type, detail);
}

// Items of a set are compared as a whole.
void CheckSetItems(Errors& errors, const FieldPath& path, const Value& items) {
  const FieldPath at = path.Child("items");
  const std::string_view type = items.GetString("type");
  const Value list_type = items.Get(kListType);
  if (type == "array" && !list_type.is_null() && list_type.AsString() != "atomic") {
    errors.Invalid(at.Child(kListType), list_type, kAtomicItem);
  }
  if (type == "object" && items.GetString(kMapType) != "atomic") {
    errors.Invalid(at.Child(kMapType), list_type, kAtomicItem);
  }
}

void CheckKeys(Errors& errors, const FieldPath& path, const Value& schema, const Value& items) {
  const Value keys = schema.Get(kListMapKeys);
  const FieldPath at_items = path.Child("items");
  const FieldPath fields = at_items.Child("properties");
  const value::MemberIndex properties(items.Get("properties"));
  std::set<std::string_view> seen;
  for (const Value& key : keys.items()) {
    const Value* field = properties.Find(key.AsString());
    const std::string_view type = field == nullptr ? std::string_view() : field->GetString("type");
    if (field == nullptr) {
      errors.Invalid(path.Child(kListMapKeys), keys, "entries must all be names of item properties");
    } else if (type == "array" || type == "object") {
      const FieldPath at = fields.Key(key.AsString());
      errors.Invalid(at.Child("type"), items.GetString("type"),
                     "must be a scalar type if parent array's x-kubernetes-list-type is map");
    }
    if (!seen.insert(key.AsString()).second) {
      errors.Invalid(path.Child(kListMapKeys), keys, "must not contain duplicate entries");
    }
  }
}

void CheckListMap(Errors& errors, const FieldPath& path, const Value& schema) {
  if (schema.Get(kListMapKeys).empty()) {
    errors.Required(path.Child(kListMapKeys), "must not be empty if x-kubernetes-list-type is map");
  }
  const Value items = SchemaIn(schema, "items");
  const FieldPath at = path.Child("items");
  if (!Has(schema, "items")) {
    errors.Required(at, "must have a schema if x-kubernetes-list-type is map");
  } else if (!items.is_object()) {
    errors.Invalid(at, schema.Get("items"), "must only have a single schema if x-kubernetes-list-type is map");
  } else if (items.GetString("type") != "object") {
    errors.Invalid(at.Child("type"), items.GetString("type"),
                   "must be object if parent array's x-kubernetes-list-type is map");
  } else {
    CheckKeys(errors, path, schema, items);
  }
}

// Items of sets and maps, and what maps are found by, are never null or missing.
void CheckKeysAreThere(Errors& errors, const FieldPath& path, const Value& schema) {
  const std::string_view list_type = schema.GetString(kListType);
  const Value items = SchemaIn(schema, "items");
  if (!items.is_object() || (list_type != "set" && list_type != "map")) return;
  const FieldPath at = path.Child("items");
  if (IsSet(items, "nullable")) {
    errors.Forbidden(at.Child("nullable"), base::Cat("cannot be nullable when x-kubernetes-list-type is ", list_type));
  }
  if (list_type != "map") return;
  const FieldPath fields = at.Child("properties");
  const value::MemberIndex properties(items.Get("properties"));
  absl::flat_hash_set<std::string_view> required;
  for (const Value& name : items.Get("required").items()) required.insert(name.AsString());
  for (const Value& key : schema.Get(kListMapKeys).items()) {
    const Value* field = properties.Find(key.AsString());
    if (field == nullptr) continue;
    const FieldPath at_field = fields.Key(key.AsString());
    if (!required.contains(key.AsString()) && !Has(*field, "default")) {
      errors.Required(
          at_field.Child("default"),
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property");
    }
    if (IsSet(*field, "nullable")) {
      errors.Forbidden(at_field.Child("nullable"),
                       "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }
}

}  // namespace

void CheckMapAndListTypes(Errors& errors, const FieldPath& path, const Value& schema) {
  const std::string_view map_type = schema.GetString(kMapType), list_type = schema.GetString(kListType);
  if (Has(schema, kMapType)) {
    CheckType(errors, path, schema, "object", kMapType);
    if (std::ranges::find(kMapTypes, map_type) == kMapTypes.end()) {
      errors.NotSupported(path.Child(kMapType), map_type, kMapTypes);
    }
  }
  const bool has_list_type = Has(schema, kListType);
  if (has_list_type) {
    CheckType(errors, path, schema, "array", kListType);
    if (schema.GetString("type") == "array" && list_type == "set") {
      CheckSetItems(errors, path, SchemaIn(schema, "items"));
    }
    if (std::ranges::find(kListTypes, list_type) == kListTypes.end()) {
      errors.NotSupported(path.Child(kListType), list_type, kListTypes);
    }
  }
  if (!schema.Get(kListMapKeys).empty() && list_type != "map") {
    constexpr std::string_view kMustBeMap = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (has_list_type) {
      errors.Invalid(path.Child(kListType), list_type, kMustBeMap);
    } else {
      errors.Required(path.Child(kListType), kMustBeMap);
    }
  }
  if (list_type == "map") CheckListMap(errors, path, schema);
  CheckKeysAreThere(errors, path, schema);
}

}  // namespace resources::apiextensions
