// Candidates: the cells of a snapshot that may have one of some terms: all that have one, and perhaps a few others (of
// terms that share a number). Given by Store::Find(); a list by selector checks each and is spared the rest of the
// collection.
//
// Threads: one owner. Ownership: holds its snapshot, so cells live as long as it (or a copy of the snapshot). Cost:
// that of a scan for each candidate, and a look-up where the object was written after the snapshot.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "store/snapshot.h"

namespace store {

// The number of something that objects are found by: a label with its value, say. Who gives Options::terms chooses
// them; unlike things may share one.
enum class Term : uint64_t {};

class Candidates {
 public:
  // `holders`: for each term the newest objects that have it, in a version of the collection that is not older than
  // the snapshot, from which no holder that the snapshot has is missing. Keys as in Snapshot::Scan().
  Candidates(Snapshot snapshot, std::vector<Tree> holders, std::string prefix, const std::string& start);

  // At most so many follow from the beginning. O(log n) for each term.
  size_t Count() const;
  // The next one in key order, or null at the end.
  const Cell* Next();
  // From the first one again.
  void Rewind();

 private:
  struct Branch {
    TreeCursor cursor;
    const Cell* next;
  };
  // The least of the branches' next cells, which they pass; null at the end.
  const Cell* TakeLeast();

  Snapshot snapshot_;
  std::vector<Tree> holders_;
  std::string prefix_, start_;  // start_ is not less than prefix_
  std::vector<Branch> branches_;
};

}  // namespace store
