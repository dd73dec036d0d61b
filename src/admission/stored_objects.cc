#include "admission/stored_objects.h"

#include <string>

#include "base/text.h"
#include "registry/json_scan.h"
#include "registry/stored_form.h"
#include "store/cell.h"
#include "store/snapshot.h"
#include "value/json_reader.h"

namespace admission {
namespace {

using value::Value;

// A tree that needs the cell no more: the cell may go before what is made of it is stored.
Value DecodeWhole(const registry::Resource& resource, const store::Cell& cell, value::Arena& arena) {
  const auto decoded = registry::DecodeStored(resource, cell, arena);
  return decoded ? value::DeepCopy(arena, *decoded) : Value();
}

}  // namespace

std::optional<Value> StoredObjects::NamespaceLabels(std::string_view name, std::string_view prefix,
                                                    value::Arena& arena) const {
  const registry::Resource* resource = resources_.Find("", "v1", "namespaces");
  if (resource == nullptr || resource->storage == nullptr) return std::nullopt;
  const store::Snapshot snapshot = store_.Latest(resource->storage->id);
  const store::Cell* cell = snapshot.Get(name);
  if (cell == nullptr || !cell->readable()) return std::nullopt;
  const std::string_view labels = registry::FindJson(cell->bytes(), "metadata.labels");
  // A letter of it may stand as an escape.
  if (!labels.contains(prefix) && !registry::HasEscapes(labels)) return Value();
  const auto read = value::ReadJson(arena.CopyString(labels), arena);
  return read ? *read : Value();
}

store::Snapshot StoredObjects::Latest(const registry::Resource& resource) const {
  return store_.Latest(resource.storage->id);
}

Value StoredObjects::Decode(const registry::Resource& resource, const store::Cell& cell, value::Arena& arena) {
  return DecodeWhole(resource, cell, arena);
}

Value StoredObjects::Find(std::string_view group, std::string_view version, std::string_view plural,
                          std::string_view namespace_name, std::string_view name, value::Arena& arena) const {
  const registry::Resource* resource = resources_.Find(group, version, plural);
  if (resource == nullptr || resource->storage == nullptr || name.empty()) return {};
  const store::Snapshot snapshot = store_.Latest(resource->storage->id);
  const std::string key = resource->namespaced ? base::Cat(namespace_name, "/", name) : std::string(name);
  const store::CellRef cell(snapshot.Get(key));
  return cell ? DecodeWhole(*resource, *cell, arena) : Value();
}

void StoredObjects::ForEach(std::string_view group, std::string_view version, std::string_view plural,
                            std::string_view namespace_name, value::Arena& arena,
                            absl::FunctionRef<bool(std::string_view bytes)> wanted,
                            absl::FunctionRef<void(const Value& object)> visit) const {
  const registry::Resource* resource = resources_.Find(group, version, plural);
  if (resource == nullptr || resource->storage == nullptr) return;
  const store::Snapshot snapshot = store_.Latest(resource->storage->id);
  const std::string prefix =
      resource->namespaced && !namespace_name.empty() ? base::Cat(namespace_name, "/") : std::string();
  store::Scan scan = snapshot.Scan(prefix, "");
  while (const store::Cell* cell = scan.Next()) {
    if (wanted(cell->bytes())) visit(DecodeWhole(*resource, *cell, arena));
  }
}

}  // namespace admission
