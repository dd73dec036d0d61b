#include "admission/pods.h"

#include "admission/default_toleration_seconds.h"
#include "admission/node_taint.h"
#include "admission/priority.h"
#include "admission/runtime_class.h"
#include "registry/json_scan.h"
#include "registry/stored_form.h"
#include "store/cell.h"
#include "store/snapshot.h"

namespace admission {

using value::Value;

namespace {

Value Decode(const registry::Resource& resource, const store::Cell& cell, value::Arena& arena) {
  auto decoded = registry::DecodeStored(resource, cell, arena);
  return decoded ? *decoded : Value();
}

// The object of that name. The cell may go before what is made of it is stored: the arena gets a tree of its own.
Value FindNamed(const registry::Resource& resource, const store::Snapshot& snapshot, std::string_view name,
                value::Arena& arena) {
  const store::CellRef cell(snapshot.Get(name));
  return cell ? value::DeepCopy(arena, Decode(resource, *cell, arena)) : Value();
}

}  // namespace

Value PodPlugins::FindRuntime(std::string_view name, value::Arena& arena) const {
  const registry::Resource* classes = resources_.Find("node.k8s.io", "v1", "runtimeclasses");
  return classes != nullptr ? FindNamed(*classes, store_.Latest(classes->storage->id), name, arena) : Value();
}

Value PodPlugins::FindPriority(std::string_view name, value::Arena& arena) const {
  const registry::Resource* classes = resources_.Find("scheduling.k8s.io", "v1", "priorityclasses");
  if (classes == nullptr) return {};
  const store::Snapshot snapshot = store_.Latest(classes->storage->id);
  if (!name.empty()) return FindNamed(*classes, snapshot, name, arena);
  Value best;  // of several defaults the smallest value counts
  store::Scan scan = snapshot.Scan("", "");
  while (const store::Cell* cell = scan.Next()) {
    if (registry::FindJson(cell->bytes(), "globalDefault") != "true") continue;
    const Value found = Decode(*classes, *cell, arena);
    const bool smaller = !best.is_object() || found.Get("value").AsInt() < best.Get("value").AsInt();
    if (smaller) best = value::DeepCopy(arena, found);
  }
  return best;
}

api::Result<> PodPlugins::MutatePod(std::string_view operation, const Value& pod, const Value* old,
                                    value::Arena& arena) const {
  const bool creating = operation == "CREATE";
  if (options_.priority && operation == "UPDATE" && old != nullptr) KeepPriority(pod, *old, arena);
  if (options_.priority && creating) {
    const auto find = [&](std::string_view name) { return FindPriority(name, arena); };
    if (auto resolved = ResolvePriority(pod, arena, find); !resolved) return resolved;
  }
  if (options_.default_toleration_seconds) DefaultTolerationSeconds(pod, arena, options_.toleration_seconds);
  if (!options_.runtime_class || !creating) return {};
  return ApplyRuntimeClass(pod, arena, [&](std::string_view name) { return FindRuntime(name, arena); });
}

api::Result<> PodPlugins::Mutate(const registry::Resource& resource, std::string_view operation, const Value& object,
                                 const Value* old, value::Arena& arena) const {
  if (!resource.group.empty()) return {};
  if (resource.plural == "pods") return MutatePod(operation, object, old, arena);
  if (resource.plural == "nodes" && operation == "CREATE" && options_.taint_nodes) TaintNewNode(object, arena);
  return {};
}

api::Result<> PodPlugins::Validate(const registry::Resource& resource, std::string_view operation, const Value& object,
                                   value::Arena& arena) const {
  const bool creating = operation == "CREATE";
  if (options_.priority && resource.plural == "priorityclasses" && resource.group == "scheduling.k8s.io") {
    return CheckDefaultClass(object, creating, [&](std::string_view name) { return FindPriority(name, arena); });
  }
  if (!options_.runtime_class || !creating || !resource.group.empty() || resource.plural != "pods") return {};
  return CheckOverhead(object, [&](std::string_view name) { return FindRuntime(name, arena); });
}

}  // namespace admission
