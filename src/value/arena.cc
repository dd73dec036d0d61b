#include "value/arena.h"

#include <algorithm>

namespace value {

void* Arena::AllocateBlock(size_t size, size_t align) {
  static constexpr size_t kLargestBlock = 1 << 20;
  size_t block = std::max(next_block_, size + align);
  next_block_ = std::min(next_block_ * 2, kLargestBlock);
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(block));
  allocated_ += block;
  uintptr_t start = reinterpret_cast<uintptr_t>(blocks_.back().get());
  uintptr_t at = (start + align - 1) & ~(uintptr_t{align} - 1);
  if (start + block - (at + size) >= end_ - position_) {  // go on in whichever block has more room left
    position_ = at + size;
    end_ = start + block;
  }
  return reinterpret_cast<void*>(at);
}

}  // namespace value
