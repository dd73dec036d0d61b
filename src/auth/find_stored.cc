#include "auth/find_stored.h"

#include "registry/stored_form.h"
#include "store/cell.h"
#include "store/snapshot.h"

namespace auth {

value::Value FindStored(store::Store& store, const registry::Resource* resource, std::string_view key,
                        value::Arena& arena) {
  if (resource == nullptr) return {};
  const store::Snapshot snapshot = store.Latest(resource->storage->id);
  const store::CellRef cell(snapshot.Get(key));
  if (!cell) return {};
  const auto decoded = registry::DecodeStored(*resource, *cell, arena);
  // The cell may go before the object has been looked at.
  return decoded ? value::DeepCopy(arena, *decoded) : value::Value();
}

}  // namespace auth
