#include "store/collection_table.h"

#include <cstdlib>

namespace store {

CollectionTable::~CollectionTable() {
  for (std::atomic<Block*>& block : blocks_) delete block.load(std::memory_order_acquire);
}

CollectionId CollectionTable::Id(std::string_view name) {
  std::lock_guard lock(mutex_);
  if (auto found = ids_.find(name); found != ids_.end()) return found->second;
  const uint32_t at = size_.load(std::memory_order_relaxed);
  if (at == kBlock * kBlocks) std::abort();
  std::atomic<Block*>& block = blocks_[at / kBlock];
  if (block.load(std::memory_order_relaxed) == nullptr) block.store(new Block, std::memory_order_release);
  block.load(std::memory_order_relaxed)->collections[at % kBlock] =
      std::make_unique<store::Collection>(std::string(name), terms_of_);
  size_.store(at + 1, std::memory_order_release);
  return ids_.emplace(std::string(name), CollectionId{at}).first->second;
}

}  // namespace store
