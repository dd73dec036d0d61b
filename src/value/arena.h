// Arena: memory that is given out in pieces and freed whole. One per request; not thread-safe.
// Nothing in it is destroyed: only trivially destructible things go in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace value {

class Arena {
 public:
  // `first_block` bytes are allocated at the first use; later blocks double up to 1 MiB.
  explicit Arena(size_t first_block = 4096) : next_block_(first_block) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  // Uninitialised memory, aligned to `align` (a power of two, at most 16). Never null.
  void* Allocate(size_t size, size_t align = 8) {
    uintptr_t at = (position_ + align - 1) & ~(uintptr_t{align} - 1);
    if (at + size > end_ || position_ == 0) return AllocateBlock(size, align);
    position_ = at + size;
    return reinterpret_cast<void*>(at);
  }

  template <class T>
  T* AllocateArray(size_t count) {
    return static_cast<T*>(Allocate(sizeof(T) * count, alignof(T)));
  }

  std::string_view CopyString(std::string_view s) {
    char* to = static_cast<char*>(Allocate(s.size(), 1));
    if (!s.empty()) std::memcpy(to, s.data(), s.size());
    return {to, s.size()};
  }

  // Keeps `owner` alive as long as the arena: for trees whose strings point into a body or a cell.
  void Keep(std::shared_ptr<const void> owner) { kept_.push_back(std::move(owner)); }

  size_t allocated() const { return allocated_; }  // bytes taken from the allocator

 private:
  void* AllocateBlock(size_t size, size_t align);

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<std::shared_ptr<const void>> kept_;
  uintptr_t position_ = 0;
  uintptr_t end_ = 0;
  size_t next_block_;
  size_t allocated_ = 0;
};

}  // namespace value
