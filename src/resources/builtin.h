// The built-in resources of v1.32 as the table that registry, handlers and discovery share.
//
// Made at start from constant rows (data/api/resources.json) for what an ApiResourceConfig chooses; behaviours come from
// behaviours.h, conversions from conversions.h. Constant afterwards, any thread. Owns its records and their Storage.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "registry/resource.h"
#include "resources/api_resource_config.h"
#include "store/store.h"

namespace resources {

class BuiltinTable : public registry::ResourceTable {
 public:
  // Asks `store` for each resource's collection; null: the ids stay unset (for what only describes resources).
  BuiltinTable(const ApiResourceConfig& enabled, store::Store* store);

  const registry::Resource* Find(std::string_view group, std::string_view version,
                                 std::string_view plural) const override;
  std::span<const registry::Resource* const> All() const override { return all_; }

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

  std::deque<registry::Storage> storages_;
  std::deque<registry::Resource> resources_;
  std::vector<const registry::Resource*> all_;
  absl::flat_hash_map<Key, const registry::Resource*> index_;  // keys point into resources_
};

}  // namespace resources
