#include "controllers/object_facts.h"

#include "registry/json_scan.h"
#include "value/arena.h"
#include "value/json_reader.h"

namespace controllers {

ObjectFacts ReadFacts(std::string_view json) {
  ObjectFacts facts;
  registry::MemberScan scan(registry::SeekJson(json, "metadata"));
  std::string_view key;
  while (scan.NextKey(key)) {
    // Large, and the last: but in custom resources, whose keys are sorted.
    if (key == "managedFields" && !facts.uid.empty()) break;
    const std::string_view value = scan.TakeValue();
    if (key == "uid") facts.uid = registry::PlainText(value);
    if (key == "resourceVersion") facts.resource_version = registry::PlainText(value);
    if (key == "deletionTimestamp") facts.deleting = value != "null";
    if (key == "ownerReferences" && value.starts_with('[')) facts.owner_references = value;
    if (key == "finalizers" && value.starts_with('[')) facts.finalizers = value;
  }
  ForEachFinalizer(facts, [&](std::string_view finalizer) {
    facts.orphan |= finalizer == kOrphanFinalizer;
    facts.foreground |= finalizer == kForegroundFinalizer;
  });
  return facts;
}

void ForEachFinalizer(const ObjectFacts& facts, absl::FunctionRef<void(std::string_view)> each) {
  if (facts.finalizers.empty()) return;
  value::Arena arena;
  const base::Result<value::Value> list = value::ReadJson(facts.finalizers, arena);
  if (!list) return;
  for (const value::Value& item : list->items()) {
    if (item.is_string()) each(item.AsString());
  }
}

std::vector<OwnerReference> ReadOwners(const ObjectFacts& facts) {
  std::vector<OwnerReference> owners;
  if (facts.owner_references.empty()) return owners;
  value::Arena arena;
  const base::Result<value::Value> list = value::ReadJson(facts.owner_references, arena);
  if (!list) return owners;
  for (const value::Value& item : list->items()) {
    const value::Value* blocks = item.Find("blockOwnerDeletion");
    owners.push_back({.api_version = std::string(item.GetString("apiVersion")),
                      .kind = std::string(item.GetString("kind")),
                      .name = std::string(item.GetString("name")),
                      .uid = std::string(item.GetString("uid")),
                      .blocks = blocks != nullptr && blocks->is_bool() && blocks->AsBool()});
  }
  return owners;
}

}  // namespace controllers
