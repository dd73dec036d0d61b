#include "store/collection_table.h"

namespace store {

CollectionTable::~CollectionTable() {
  for (std::atomic<Block*>& block : blocks_) delete block.load(std::memory_order_acquire);
}

base::Result<CollectionTable::Entry*> CollectionTable::FindOrMake(std::string_view name) {
  if (auto found = entries_.find(name); found != entries_.end()) return &found->second;
  const uint32_t used = size_.load(std::memory_order_relaxed);
  if (free_.empty() && used == most_) {
    return base::Fail(base::Code::kExhausted, "there are too many collections");
  }
  Entry entry;
  entry.collection = std::make_shared<store::Collection>(std::string(name), terms_of_);
  if (!free_.empty()) {
    entry.id = free_.back();
    free_.pop_back();
    slot(static_cast<uint32_t>(entry.id)).store(entry.collection.get(), std::memory_order_release);
  } else {
    entry.id = CollectionId{used};
    std::atomic<Block*>& block = blocks_[used / kBlock];
    if (block.load(std::memory_order_relaxed) == nullptr) block.store(new Block, std::memory_order_release);
    slot(used).store(entry.collection.get(), std::memory_order_release);
    size_.store(used + 1, std::memory_order_release);
  }
  return &entries_.emplace(std::string(name), std::move(entry)).first->second;
}

base::Result<CollectionRef> CollectionTable::Hold(std::string_view name) {
  std::lock_guard lock(mutex_);
  base::Result<Entry*> entry = FindOrMake(name);
  if (!entry) return std::unexpected(std::move(entry.error()));
  std::shared_ptr<const CollectionId> hold = (*entry)->hold.lock();
  if (hold == nullptr) {
    hold = std::make_shared<const CollectionId>((*entry)->id);
    (*entry)->hold = hold;
  }
  return CollectionRef(std::move(hold));
}

base::Result<std::shared_ptr<store::Collection>> CollectionTable::Get(std::string_view name) {
  std::lock_guard lock(mutex_);
  base::Result<Entry*> entry = FindOrMake(name);
  if (!entry) return std::unexpected(std::move(entry.error()));
  return (*entry)->collection;
}

size_t CollectionTable::Reclaim() {
  std::vector<std::shared_ptr<store::Collection>> reclaimed;  // freed after the lock
  std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto one = entry++;
    // A watcher, or a wake-up on its way, has a count of its own.
    if (!one->second.hold.expired() || one->second.collection.use_count() > 1) continue;
    if (!one->second.collection->IsForgotten()) continue;
    slot(static_cast<uint32_t>(one->second.id)).store(nullptr, std::memory_order_release);
    free_.push_back(one->second.id);
    reclaimed.push_back(std::move(one->second.collection));
    entries_.erase(one);
  }
  return reclaimed.size();
}

}  // namespace store
