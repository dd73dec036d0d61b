#include "resources/builtin.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/string_map.h"
#include "resources/builtin_rows.h"
#include "resources/conversions.h"
#include "resources/strategies.h"
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

// The conversions of one kind, as the registry calls them.
class TableConverter final : public registry::ImmediateConverter {
 public:
  explicit TableConverter(const Conversion& conversion) : conversion_(conversion) {}
  value::Value Now(To to, value::Arena& arena, const value::Value& object) const override {
    return to == To::kServed ? conversion_.from_storage(arena, object) : conversion_.to_storage(arena, object);
  }

 private:
  const Conversion& conversion_;
};

std::shared_ptr<registry::Resource> MakeResource(const rows::ResourceRow& row, const ApiResourceConfig& enabled) {
  auto made = std::make_shared<registry::Resource>();
  registry::Resource& resource = *made;
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
  resource.features = enabled.features();
  resource.printer = FindPrinter(row.group, row.plural);
  if (const Conversion* conversion = FindConversion(row.group, row.version, row.kind)) {
    resource.converter = std::make_shared<TableConverter>(*conversion);
  }
  return made;
}

base::Result<std::shared_ptr<const registry::Storage>> MakeStorage(const rows::ResourceRow& row, store::Store* store) {
  auto storage = std::make_shared<registry::Storage>();
  storage->collection = row.collection;
  storage->group = row.stored_group;
  storage->version = row.stored_version;
  storage->kind = row.stored_kind;
  storage->type = schema::FindType(row.stored_type);
  if (store == nullptr) return storage;
  base::Result<store::CollectionRef> collection = store->Collection(storage->collection);
  if (!collection) return std::unexpected(std::move(collection.error()));
  storage->id = *std::move(collection);
  return storage;
}

}  // namespace

base::Result<registry::ResourceTableRef> MakeBuiltinTable(const ApiResourceConfig& enabled, store::Store* store) {
  std::vector<registry::ResourceRef> resources;
  base::StringMap<std::shared_ptr<const registry::Storage>> storages;
  // The versions of a resource that have one table share the strategy.
  absl::flat_hash_map<const StrategyTable*, std::shared_ptr<const registry::Strategy>> strategies;
  for (const rows::ResourceRow& row : rows::Resources()) {
    if (!enabled.Has(row.group, row.version, row.plural, row.gate)) continue;
    const std::shared_ptr<registry::Resource> resource = MakeResource(row, enabled);
    resource->place = static_cast<uint32_t>(resources.size());
    const StrategyTable& table = StrategyTableOf(row.group, row.version, row.plural);
    std::shared_ptr<const registry::Strategy>& strategy = strategies[&table];
    if (strategy == nullptr) strategy = MakeStrategy(table);
    resource->strategy = strategy;
    if (!row.collection.empty()) {
      std::shared_ptr<const registry::Storage>& storage = storages[std::string(row.collection)];
      if (storage == nullptr) {
        base::Result<std::shared_ptr<const registry::Storage>> made = MakeStorage(row, store);
        if (!made) return std::unexpected(std::move(made.error()));
        storage = *std::move(made);
      }
      resource->storage = storage;
    }
    resources.push_back(resource);
  }
  return registry::ResourceTable::Make(std::move(resources));
}

std::optional<std::pair<std::string_view, std::string_view>> StoredResource(std::string_view collection) {
  std::optional<std::pair<std::string_view, std::string_view>> found;
  for (const rows::ResourceRow& row : rows::Resources()) {
    if (row.collection != collection) continue;
    if (row.group == row.stored_group) return std::pair(row.group, row.plural);
    if (!found) found = {row.group, row.plural};
  }
  return found;
}

}  // namespace resources
