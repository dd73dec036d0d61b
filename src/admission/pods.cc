#include "admission/pods.h"

#include "admission/default_toleration_seconds.h"
#include "admission/priority.h"
#include "registry/stored_form.h"
#include "store/cell.h"
#include "store/snapshot.h"

namespace admission {

using value::Value;

Value PodPlugins::FindClass(std::string_view name, value::Arena& arena) const {
  const registry::Resource* classes = resources_.Find("scheduling.k8s.io", "v1", "priorityclasses");
  if (classes == nullptr) return {};
  const store::Snapshot snapshot = store_.Latest(classes->storage->id);
  const auto decode = [&](const store::Cell& cell) {
    auto decoded = registry::DecodeStored(*classes, cell, arena);
    return decoded ? *decoded : Value();
  };
  if (!name.empty()) {
    const store::CellRef cell(snapshot.Get(name));
    // The cell may go before the pod is stored: the arena gets a tree of its own.
    return cell ? value::DeepCopy(arena, decode(*cell)) : Value();
  }
  Value best;  // of several defaults the smallest value counts
  store::Scan scan = snapshot.Scan("", "");
  while (const store::Cell* cell = scan.Next()) {
    const Value found = decode(*cell);
    const Value is_default = found.Get("globalDefault");
    if (!is_default.is_bool() || !is_default.AsBool()) continue;
    const bool smaller = !best.is_object() || found.Get("value").AsInt() < best.Get("value").AsInt();
    if (smaller) best = value::DeepCopy(arena, found);
  }
  return best;
}

api::Result<> PodPlugins::Mutate(const registry::Resource& resource, std::string_view operation, const Value& object,
                                 const Value* old, value::Arena& arena) const {
  if (!resource.group.empty() || resource.plural != "pods") return {};
  if (options_.priority && operation == "UPDATE" && old != nullptr) KeepPriority(object, *old, arena);
  if (options_.default_toleration_seconds) DefaultTolerationSeconds(object, arena);
  if (options_.priority && operation == "CREATE") {
    return ResolvePriority(object, arena, [&](std::string_view name) { return FindClass(name, arena); });
  }
  return {};
}

}  // namespace admission
