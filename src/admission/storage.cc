#include "admission/storage.h"

#include "admission/claim_resize.h"
#include "admission/default_storage_class.h"
#include "admission/storage_object_in_use.h"
#include "registry/stored_form.h"
#include "store/cell.h"
#include "store/snapshot.h"

namespace admission {
namespace {

using value::Value;

bool Is(const registry::Resource& resource, std::string_view plural) {
  return resource.group.empty() && resource.plural == plural;
}

const registry::Resource* Classes(const registry::ResourceTable& resources) {
  return resources.Find("storage.k8s.io", "v1", "storageclasses");
}

}  // namespace

Value StoragePlugins::FindClass(std::string_view name, value::Arena& arena) const {
  const registry::Resource* classes = Classes(resources_);
  if (classes == nullptr || name.empty()) return {};
  const store::Snapshot snapshot = store_.Latest(classes->storage->id);
  const store::CellRef cell(snapshot.Get(name));
  if (!cell) return {};
  const auto decoded = registry::DecodeStored(*classes, *cell, arena);
  // The cell may go before the object is stored: the arena gets a tree of its own.
  return decoded ? value::DeepCopy(arena, *decoded) : Value();
}

std::string_view StoragePlugins::DefaultClass(value::Arena& arena) const {
  const registry::Resource* classes = Classes(resources_);
  if (classes == nullptr) return {};
  const store::Snapshot snapshot = store_.Latest(classes->storage->id);
  Value best;
  store::Scan scan = snapshot.Scan("", "");
  while (const store::Cell* cell = scan.Next()) {
    const auto decoded = registry::DecodeStored(*classes, *cell, arena);
    if (decoded && IsBetterDefault(*decoded, best)) best = value::DeepCopy(arena, *decoded);
  }
  return best.Get("metadata").GetString("name");
}

void StoragePlugins::Mutate(const registry::Resource& resource, std::string_view operation, const Value& object,
                            value::Arena& arena) const {
  const bool claim = Is(resource, "persistentvolumeclaims");
  if (operation != "CREATE" || (!claim && !Is(resource, "persistentvolumes"))) return;
  if (claim && options_.default_storage_class && !AsksForClass(object)) SetClass(object, DefaultClass(arena), arena);
  if (options_.object_in_use_protection) ProtectWhileInUse(object, claim, arena);
}

api::Result<> StoragePlugins::Validate(const registry::Resource& resource, std::string_view operation,
                                       std::string_view subresource, const Value& object, const Value* old,
                                       value::Arena& arena) const {
  const bool asked = options_.claim_resize && operation == "UPDATE" && subresource.empty() && old != nullptr;
  if (!asked || !Is(resource, "persistentvolumeclaims")) return {};
  return AdmitResize(object, *old, [&](std::string_view name) { return FindClass(name, arena); });
}

}  // namespace admission
