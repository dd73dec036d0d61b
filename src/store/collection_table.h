// CollectionTable: the collections of a store by name and by id. They are made at first use and live as long as the
// table. Threads: any; look-up by id takes no lock. Bounds: kBlocks * kBlock collections; one more is fatal (a bug:
// they follow from resource types).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/string_map.h"
#include "store/collection.h"
#include "store/store.h"

namespace store {

class CollectionTable {
 public:
  // `terms_of` as in Options.
  explicit CollectionTable(TermsOf terms_of = nullptr) : terms_of_(terms_of) {}
  ~CollectionTable();
  CollectionTable(const CollectionTable&) = delete;
  CollectionTable& operator=(const CollectionTable&) = delete;

  CollectionId Id(std::string_view name);
  // `id` came from Id().
  store::Collection& Get(CollectionId id) const {
    const auto at = static_cast<uint32_t>(id);
    return *blocks_[at / kBlock].load(std::memory_order_acquire)->collections[at % kBlock];
  }
  store::Collection& Get(std::string_view name) { return Get(Id(name)); }
  uint32_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  static constexpr uint32_t kBlock = 128;
  static constexpr uint32_t kBlocks = 2048;
  struct Block {
    std::array<std::unique_ptr<store::Collection>, kBlock> collections;
  };
  const TermsOf terms_of_;
  std::array<std::atomic<Block*>, kBlocks> blocks_{};
  std::atomic<uint32_t> size_{0};
  std::mutex mutex_;
  base::StringMap<CollectionId> ids_;  // guarded by mutex_
};

}  // namespace store
