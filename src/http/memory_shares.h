// MemoryShares: how much of one budget is taken, altogether and by each holder (an address, a user), so that none can
// take what the others need. Entries of holders go when they hold nothing. Threads: any.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace http {

class MemoryShares {
 public:
  // `total`: bytes of all holders together, `share`: of one.
  MemoryShares(int64_t total, int64_t share) : total_(total), share_(share) {}
  MemoryShares(const MemoryShares&) = delete;
  MemoryShares& operator=(const MemoryShares&) = delete;

  // False, and nothing is taken, where that would be too much.
  bool Take(const std::string& holder, int64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (taken_ + bytes > total_) return false;
    int64_t& own = holders_[holder];
    if (own + bytes > share_) {
      if (own == 0) holders_.erase(holder);
      return false;
    }
    own += bytes;
    taken_ += bytes;
    return true;
  }
  // What was taken before.
  void Give(const std::string& holder, int64_t bytes) {
    if (bytes == 0) return;
    const std::lock_guard lock(mutex_);
    taken_ -= bytes;
    const auto found = holders_.find(holder);
    if ((found->second -= bytes) == 0) holders_.erase(found);
  }
  int64_t taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  const int64_t total_, share_;
  mutable std::mutex mutex_;
  int64_t taken_ = 0;
  absl::flat_hash_map<std::string, int64_t> holders_;
};

}  // namespace http
