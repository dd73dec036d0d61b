// Tree: a persistent ordered map from keys to cells. A copy of a Tree is a version of its own that later changes do not
// touch: a change copies the nodes on its path and shares the rest. Every inner node knows how many cells are below it,
// so that ranks, and with them counts of ranges, cost O(log n). A B-tree with up to 32 cells a leaf: about 10 bytes of
// node an object.
//
// Threads: a const Tree may be read by any thread; Put, Erase and assignment belong to one writer. Ownership: a Tree
// keeps its nodes and their cells; cursors and cell pointers hold as long as the Tree (or a copy of it). Bounds: 2^32
// cells.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "store/cell.h"

namespace store {

class TreeNode;

// Who may change a node in place: nodes made under one Edit belong to it until it ends, and nobody else has seen them.
// Changes that are published together share one Edit, so that a batch copies each node once. Never reuse an Edit once
// its tree was copied.
class Edit {
 public:
  explicit Edit(uint64_t id) : id_(id) {}
  uint64_t id() const { return id_; }

 private:
  uint64_t id_;
};

class Tree {
 public:
  Tree() = default;
  Tree(const Tree& other);
  Tree(Tree&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  Tree& operator=(Tree other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~Tree();

  // The tree of cells that are in strict key order. O(n).
  static Tree Build(std::span<const CellRef> sorted);

  // Inserts the cell or replaces the one of its key, which it returns (null: the key is new).
  CellRef Put(CellRef cell, Edit edit);
  // Removes and returns the cell of the key; null when there is none.
  CellRef Erase(std::string_view key, Edit edit);

  const Cell* Find(std::string_view key) const;
  size_t size() const;
  // How many cells have a lesser key.
  size_t Rank(std::string_view key) const;

 private:
  friend class TreeCursor;
  TreeNode* root_ = nullptr;
};

// Goes through the cells of a Tree in key order. Holds as long as the Tree.
class TreeCursor {
 public:
  // Before the first cell whose key is not less than `start`.
  TreeCursor(const Tree& tree, std::string_view start);
  // The next cell, or null at the end.
  const Cell* Next();

 private:
  static constexpr int kMaxDepth = 24;
  struct Step {
    const TreeNode* node;
    uint32_t next;
  };
  Step path_[kMaxDepth];
  int depth_ = 0;
};

// The least string greater than every string with this prefix; "" when there is none (then the range has no end).
std::string PrefixEnd(std::string_view prefix);

}  // namespace store
