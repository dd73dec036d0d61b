#include "admission/stored_objects.h"

#include <string>

#include "base/text.h"
#include "registry/stored_form.h"
#include "store/cell.h"
#include "store/snapshot.h"

namespace admission {
namespace {

using value::Value;

// A tree that needs the cell no more: the cell may go before what is made of it is stored.
Value DecodeWhole(const registry::Resource& resource, const store::Cell& cell, value::Arena& arena) {
  const auto decoded = registry::DecodeStored(resource, cell, arena);
  return decoded ? value::DeepCopy(arena, *decoded) : Value();
}

}  // namespace

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
