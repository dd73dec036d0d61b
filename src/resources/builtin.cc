#include "resources/builtin.h"

#include <algorithm>
#include <string>

#include "resources/behaviours.h"
#include "resources/builtin_rows.h"
#include "resources/conversions.h"
#include "resources/defaults/defaults.h"
#include "resources/tables/tables.h"
#include "schema/schema.h"

namespace resources {

namespace {

std::vector<std::string> Strings(std::span<const std::string_view> views) { return {views.begin(), views.end()}; }

// What a selector finds where the field is absent: the text of the zero value of its kind.
std::string ZeroText(const schema::Type* type, std::string_view path) {
  const schema::Field* field = nullptr;
  while (type && !path.empty()) {
    size_t dot = path.find('.');
    field = type->Member(path.substr(0, dot));
    type = field ? field->ref : nullptr;
    path = dot == path.npos ? "" : path.substr(dot + 1);
  }
  if (!field) return "";
  switch (field->kind) {
    case schema::FieldKind::kBool:
      return "false";
    case schema::FieldKind::kInt32:
    case schema::FieldKind::kInt64:
      return "0";
    default:
      return "";
  }
}

registry::Subresource MakeSubresource(const rows::SubresourceRow& row, std::string_view resource_type) {
  registry::Subresource subresource;
  subresource.name = row.name;
  subresource.verbs = Strings(row.verbs);
  subresource.group = row.group;
  subresource.version = row.version;
  subresource.kind = row.kind;
  subresource.type = schema::FindType(row.type);
  subresource.connect = row.connect;
  subresource.table = row.table;
  subresource.returns_resource = !row.connect && row.type == resource_type;
  if (!subresource.returns_resource) subresource.printer = FindPrinter(row.group, row.kind);
  return subresource;
}

registry::Resource MakeResource(const rows::ResourceRow& row, const ApiResourceConfig& enabled) {
  registry::Resource resource;
  resource.group = row.group;
  resource.version = row.version;
  resource.plural = row.plural;
  resource.singular = row.singular;
  resource.kind = row.kind;
  resource.list_kind = row.list_kind;
  resource.namespaced = row.namespaced;
  resource.verbs = Strings(row.verbs);
  resource.short_names = Strings(row.short_names);
  resource.categories = Strings(row.categories);
  resource.type = schema::FindType(row.type);
  resource.list_type = schema::FindType(row.list_type);
  if (enabled.shows_storage_versions()) resource.storage_version_hash = row.storage_version_hash;
  resource.selects_namespace = row.selects_namespace;
  resource.deletes_returns = row.deletes_returns;
  resource.deprecation = row.deprecation;
  for (const rows::SubresourceRow& subresource : row.subresources) {
    if (enabled.HasGate(subresource.gate)) resource.subresources.push_back(MakeSubresource(subresource, row.type));
  }
  const schema::Type* stored = schema::FindType(row.stored_type);
  for (const rows::SelectableRow& selectable : row.selectables) {
    std::string zero = selectable.paths.empty() ? "" : ZeroText(stored, selectable.paths[0]);
    resource.selectable_fields.push_back({std::string(selectable.label), Strings(selectable.paths), std::move(zero)});
  }
  resource.watch_cached = row.collection != "events";
  resource.set_defaults = SetDefaults;
  resource.features = enabled.features();
  resource.printer = FindPrinter(row.group, row.plural);
  resource.behaviour = &BehaviourOf(row.group, row.version, row.plural);
  if (const Conversion* conversion = FindConversion(row.group, row.version, row.kind)) {
    resource.from_storage = conversion->from_storage;
    resource.to_storage = conversion->to_storage;
  }
  return resource;
}

}  // namespace

BuiltinTable::BuiltinTable(const ApiResourceConfig& enabled, store::Store* store) {
  for (const rows::ResourceRow& row : rows::Resources()) {
    if (!enabled.Has(row.group, row.version, row.plural, row.gate)) continue;
    registry::Resource& resource = resources_.emplace_back(MakeResource(row, enabled));
    if (!row.collection.empty()) {
      auto known = std::ranges::find(storages_, row.collection, &registry::Storage::collection);
      if (known == storages_.end()) {
        storages_.push_back({std::string(row.collection),
                             std::string(row.stored_group),
                             std::string(row.stored_version),
                             std::string(row.stored_kind),
                             schema::FindType(row.stored_type),
                             {}});
        known = storages_.end() - 1;
        if (store) known->id = store->Collection(known->collection);
      }
      resource.storage = &*known;
    }
    all_.push_back(&resource);
    index_[Key(resource.group, resource.version, resource.plural)] = &resource;
  }
}

const registry::Resource* BuiltinTable::Find(std::string_view group, std::string_view version,
                                             std::string_view plural) const {
  auto found = index_.find(Key(group, version, plural));
  return found == index_.end() ? nullptr : found->second;
}

}  // namespace resources
