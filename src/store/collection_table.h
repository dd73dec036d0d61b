// CollectionTable: the collections of a store by name and by id. They are made at first use; one that nobody holds,
// that has no objects and whose history is forgotten goes at the next compaction (Reclaim), and its id is given again.
//
// Threads: any; look-up by id takes no lock. Bounds: kBlocks * kBlock collections at a time; one more is kExhausted.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/string_map.h"
#include "store/collection.h"
#include "store/store.h"

namespace store {

class CollectionTable {
 public:
  static constexpr uint32_t kBlock = 128;
  static constexpr uint32_t kBlocks = 2048;

  // `terms_of` as in Options. `most`: how many collections there may be.
  explicit CollectionTable(TermsOf terms_of = nullptr, uint32_t most = kBlock * kBlocks)
      : terms_of_(terms_of), most_(most) {}
  ~CollectionTable();
  CollectionTable(const CollectionTable&) = delete;
  CollectionTable& operator=(const CollectionTable&) = delete;

  // The collection of that name, held.
  base::Result<CollectionRef> Hold(std::string_view name);
  // `id` is held by somebody.
  store::Collection& Get(CollectionId id) const { return *Find(id); }
  // Null for an id that no collection has now.
  store::Collection* Find(CollectionId id) const {
    const auto at = static_cast<uint32_t>(id);
    return blocks_[at / kBlock]
        .load(std::memory_order_acquire)
        ->collections[at % kBlock]
        .load(std::memory_order_acquire);
  }
  // The collection of that name, not held: for the holder of the apply lock, which keeps Reclaim() out.
  base::Result<std::shared_ptr<store::Collection>> Get(std::string_view name);
  // Ids are below this.
  uint32_t size() const { return size_.load(std::memory_order_acquire); }
  // Lets go of what nobody needs; gives how many. By the holder of the apply lock.
  size_t Reclaim();

 private:
  struct Block {
    std::array<std::atomic<store::Collection*>, kBlock> collections{};
  };
  struct Entry {
    std::shared_ptr<store::Collection> collection;
    std::weak_ptr<const CollectionId> hold;
    CollectionId id{};
  };

  base::Result<Entry*> FindOrMake(std::string_view name);  // with mutex_ held
  std::atomic<store::Collection*>& slot(uint32_t at) const {
    return blocks_[at / kBlock].load(std::memory_order_acquire)->collections[at % kBlock];
  }

  const TermsOf terms_of_;
  const uint32_t most_;
  std::array<std::atomic<Block*>, kBlocks> blocks_{};
  std::atomic<uint32_t> size_{0};
  std::mutex mutex_;  // guards these
  base::StringMap<Entry> entries_;
  std::vector<CollectionId> free_;
};

}  // namespace store
