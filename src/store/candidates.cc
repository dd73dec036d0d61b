#include "store/candidates.h"

#include <algorithm>

namespace store {

Candidates::Candidates(Snapshot snapshot, std::vector<Tree> holders, std::string prefix, const std::string& start)
    : snapshot_(std::move(snapshot)),
      holders_(std::move(holders)),
      prefix_(std::move(prefix)),
      start_(std::max(start, prefix_)) {
  Rewind();
}

size_t Candidates::Count() const {
  const std::string end = PrefixEnd(prefix_);
  size_t count = 0;
  for (const Tree& tree : holders_) {
    const size_t after = end.empty() ? tree.size() : tree.Rank(end);
    const size_t before = tree.Rank(start_);
    if (after > before) count += after - before;
  }
  return count;
}

const Cell* Candidates::Next() {
  while (const Cell* cell = TakeLeast()) {
    if (!cell->key().starts_with(prefix_)) return nullptr;
    // Written since: the snapshot may have another version, or none. What was not is the snapshot's own.
    if (cell->modified() > snapshot_.revision()) cell = snapshot_.Get(cell->key());
    if (cell != nullptr) return cell;
  }
  return nullptr;
}

void Candidates::Rewind() {
  branches_.clear();
  for (const Tree& tree : holders_) {
    Branch branch{.cursor = TreeCursor(tree, start_), .next = nullptr};
    branch.next = branch.cursor.Next();
    branches_.push_back(branch);
  }
}

const Cell* Candidates::TakeLeast() {
  const Cell* least = nullptr;
  for (const Branch& branch : branches_) {
    if (branch.next != nullptr && (least == nullptr || branch.next->key() < least->key())) least = branch.next;
  }
  if (least == nullptr) return nullptr;
  for (Branch& branch : branches_) {
    if (branch.next != nullptr && branch.next->key() == least->key()) branch.next = branch.cursor.Next();
  }
  return least;
}

}  // namespace store
