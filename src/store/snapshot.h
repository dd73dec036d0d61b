// Snapshot: one collection at one revision. Taken by Store::Latest() and Store::At(); copied freely (one atomic
// increment).
//
// Threads: immutable, any thread. Ownership: a Snapshot keeps its cells; a Cell pointer or a Scan holds as long as the
// Snapshot (or a copy of it). Holding one costs memory only for what was changed since.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "store/tree.h"

namespace store {

// What the committer publishes of a collection. Counted by hand, for Published.
class TreeVersion {
 public:
  TreeVersion(Tree tree, Revision revision) : tree_(std::move(tree)), revision_(revision) {}
  const Tree& tree() const { return tree_; }
  Revision revision() const { return revision_; }  // of the collection's last change
  void AddReferences(uint32_t count) const { references_.fetch_add(count, std::memory_order_relaxed); }
  void Release(uint32_t count) const {
    if (references_.fetch_sub(count, std::memory_order_acq_rel) == count) delete this;
  }

 private:
  ~TreeVersion() = default;
  const Tree tree_;
  const Revision revision_;
  mutable std::atomic<uint32_t> references_{1};
};

// Goes through cells in key order. Holds as long as its Snapshot.
class Scan {
 public:
  // The next cell, or null at the end.
  const Cell* Next() {
    const Cell* cell = cursor_.Next();
    return cell != nullptr && cell->key().starts_with(prefix_) ? cell : nullptr;
  }

 private:
  friend class Snapshot;
  Scan(const Tree& tree, std::string prefix, std::string_view start)
      : prefix_(std::move(prefix)), cursor_(tree, start > prefix_ ? start : std::string_view(prefix_)) {}
  std::string prefix_;
  TreeCursor cursor_;
};

class Snapshot {
 public:
  // Of nothing, at revision 0: for members that are assigned later.
  Snapshot() = default;
  // Takes over the caller's reference.
  Snapshot(const TreeVersion* version, Revision revision) : version_(version), revision_(revision) {}
  Snapshot(const Snapshot& other) : version_(other.version_), revision_(other.revision_) {
    if (version_ != nullptr) version_->AddReferences(1);
  }
  Snapshot(Snapshot&& other) noexcept : version_(std::exchange(other.version_, nullptr)), revision_(other.revision_) {}
  Snapshot& operator=(Snapshot other) noexcept {
    std::swap(version_, other.version_);
    std::swap(revision_, other.revision_);
    return *this;
  }
  ~Snapshot() {
    if (version_ != nullptr) version_->Release(1);
  }

  // Everything up to here is in the snapshot, and nothing later.
  Revision revision() const { return revision_; }
  // Null when there is no such key. `CellRef(cell)` keeps it beyond the snapshot.
  const Cell* Get(std::string_view key) const { return tree().Find(key); }
  // The cells whose key begins with `prefix` and is not less than `start` ("": from the prefix's first).
  store::Scan Scan(std::string_view prefix = {}, std::string_view start = {}) const {
    return store::Scan(tree(), std::string(prefix), start);
  }
  // How many cells that scan gives. O(log n).
  size_t Count(std::string_view prefix = {}, std::string_view start = {}) const;

 private:
  const Tree& tree() const;
  const TreeVersion* version_ = nullptr;
  Revision revision_;
};

}  // namespace store
