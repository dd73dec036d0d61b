#include "registry/quota_count.h"

#include "api/quota_usage.h"
#include "base/text.h"
#include "value/json_reader.h"

namespace registry {

void CountQuotaUsage(store::Store& store, const Resource& resource, const Value& quota,
                     std::span<const std::string_view> names, std::chrono::system_clock::time_point now,
                     api::ResourceList& used) {
  const Value spec = quota.Get("spec");
  const std::string prefix = base::Cat(quota.Get("metadata").GetString("namespace"), "/");
  const store::Snapshot snapshot = store.Latest(resource.storage->id);
  for (std::string_view name : names) used.try_emplace(std::string(name));
  if (api::CountsAsOne(resource.group, resource.plural)) {
    if (!api::InQuotaScopes(spec, resource.group, resource.plural, {}, resource.features)) return;
    for (std::string_view name : names) {
      used.find(name)->second = api::Quantity::Of(static_cast<int64_t>(snapshot.Count(prefix)));
    }
    return;
  }
  store::Scan scan = snapshot.Scan(prefix);
  while (const store::Cell* cell = scan.Next()) {
    if (!cell->readable()) continue;
    Arena arena;
    const base::Result<Value> object = value::ReadJson(cell->bytes(), arena);
    if (!object || !api::InQuotaScopes(spec, resource.group, resource.plural, *object, resource.features)) continue;
    const api::ResourceList usage = api::QuotaUsage(resource.group, resource.plural, *object, now, resource.features);
    for (std::string_view name : names) {
      if (const auto amount = usage.find(name); amount != usage.end()) used.find(name)->second.Add(amount->second);
    }
  }
}

Value QuotaListValue(const api::ResourceList& list, Arena& arena) {
  const Value object = Value::Object(arena, static_cast<uint32_t>(list.size()));
  for (const auto& [name, quantity] : list) {
    object.Add(arena, arena.CopyString(name), Value::Copy(arena, quantity.text()));
  }
  return object;
}

}  // namespace registry
