#include "store/tree.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <tuple>

namespace store {
namespace {
constexpr uint32_t kMaxSize = 32;     // slots of a node
constexpr uint32_t kMinSize = 8;      // below this a node is merged with a neighbour where the two fit
constexpr uint32_t kMergedSize = 24;  // at most this after a merge, so that the next insert does not split it again
constexpr uint32_t kAhead = 4;        // cells that a walk asks for before it comes to them
constexpr uint32_t kGrowth = 6;       // spare slots of a node that its batch inserts into a second time
}  // namespace

// A slot of an inner node. `first` is the cell of the least key below: borrowed from the leaf that holds it, and
// renewed whenever the child changes, so it never names a cell that the tree has dropped.
struct TreeChild {
  TreeNode* node;
  const Cell* first;
};

// Header and, behind it, `capacity` slots: cells (each a counted reference) in a leaf, children in an inner node.
class TreeNode {
 public:
  static TreeNode* New(bool leaf, uint32_t capacity, uint64_t owner) {
    const size_t slot = leaf ? sizeof(const Cell*) : sizeof(TreeChild);
    void* memory = ::operator new(sizeof(TreeNode) + capacity * slot);
    auto* node = new (memory) TreeNode;
    node->leaf_ = leaf;
    node->capacity_ = static_cast<uint8_t>(capacity);
    node->owner_ = owner;
    return node;
  }

  void Ref() const { references_.fetch_add(1, std::memory_order_relaxed); }
  static void Unref(const TreeNode* node) {
    if (node == nullptr || node->references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (node->leaf_) {
      for (uint32_t i = 0; i < node->size_; ++i) CellRef::Adopt(node->cells()[i]);
    } else {
      for (uint32_t i = 0; i < node->size_; ++i) Unref(node->children()[i].node);
    }
    node->~TreeNode();
    ::operator delete(const_cast<TreeNode*>(node));
  }

  bool leaf() const { return leaf_; }
  uint32_t size() const { return size_; }
  uint32_t count() const { return count_; }
  const Cell* first() const { return leaf_ ? cells()[0] : children()[0].first; }
  const Cell** cells() { return reinterpret_cast<const Cell**>(this + 1); }
  const Cell* const* cells() const { return reinterpret_cast<const Cell* const*>(this + 1); }
  TreeChild* children() { return reinterpret_cast<TreeChild*>(this + 1); }
  const TreeChild* children() const { return reinterpret_cast<const TreeChild*>(this + 1); }

  // Of a leaf: how many cells have a lesser key.
  uint32_t LowerBound(std::string_view key) const {
    auto less = [](const Cell* cell, std::string_view wanted) { return cell->key() < wanted; };
    return static_cast<uint32_t>(std::lower_bound(cells(), cells() + size_, key, less) - cells());
  }
  // Of an inner node: the child whose range holds the key.
  uint32_t ChildOf(std::string_view key) const {
    auto less = [](std::string_view wanted, const TreeChild& child) { return wanted < child.first->key(); };
    const TreeChild* after = std::upper_bound(children() + 1, children() + size_, key, less);
    return static_cast<uint32_t>(after - children()) - 1;
  }

  // The node in `slot`, made the edit's own and with room for `spare` slots more. The slot's reference moves to the
  // result.
  static TreeNode* Own(TreeNode*& slot, Edit edit, uint32_t spare) {
    TreeNode* node = slot;
    const bool owned = node->owner_ == edit.id();
    if (owned && node->size_ + spare <= node->capacity_) return node;
    const uint32_t growth = owned ? kGrowth : 0;
    TreeNode* copy = New(node->leaf_, std::min(node->size_ + spare + growth, kMaxSize + 1), edit.id());
    copy->size_ = node->size_;
    copy->count_ = node->count_;
    if (node->leaf_) {
      std::memcpy(copy->cells(), node->cells(), node->size_ * sizeof(const Cell*));
    } else {
      std::memcpy(copy->children(), node->children(), node->size_ * sizeof(TreeChild));
    }
    if (owned) {
      node->size_ = 0;  // nobody else holds it: its references moved
    } else if (node->leaf_) {
      for (uint32_t i = 0; i < node->size_; ++i) std::ignore = CellRef(node->cells()[i]).Detach();
    } else {
      for (uint32_t i = 0; i < node->size_; ++i) node->children()[i].node->Ref();
    }
    Unref(node);
    slot = copy;
    return copy;
  }

  // All below need a node that the caller owns, with room.
  void InsertCell(uint32_t at, CellRef cell) {
    std::memmove(cells() + at + 1, cells() + at, (size_ - at) * sizeof(const Cell*));
    cells()[at] = std::move(cell).Detach();
    ++size_;
    ++count_;
  }
  void InsertChild(uint32_t at, TreeNode* child) {
    std::memmove(children() + at + 1, children() + at, (size_ - at) * sizeof(TreeChild));
    children()[at] = {child, child->first()};
    ++size_;
  }
  CellRef ReplaceCell(uint32_t at, CellRef cell) {
    return CellRef::Adopt(std::exchange(cells()[at], std::move(cell).Detach()));
  }
  CellRef RemoveCell(uint32_t at) {
    CellRef removed = CellRef::Adopt(cells()[at]);
    std::memmove(cells() + at, cells() + at + 1, (size_ - at - 1) * sizeof(const Cell*));
    --size_;
    --count_;
    return removed;
  }
  void RemoveChild(uint32_t at) {
    std::memmove(children() + at, children() + at + 1, (size_ - at - 1) * sizeof(TreeChild));
    --size_;
  }
  void AddCount(int change) { count_ += change; }
  void Recount() {
    count_ = 0;
    for (uint32_t i = 0; i < size_; ++i) count_ += children()[i].node->count_;
  }

  // Moves the upper half to a new node of the same edit.
  TreeNode* Split(Edit edit) {
    const uint32_t keep = size_ / 2;
    const uint32_t move = size_ - keep;
    TreeNode* right = New(leaf_, std::min(move + 1, kMaxSize + 1), edit.id());
    if (leaf_) {
      std::memcpy(right->cells(), cells() + keep, move * sizeof(const Cell*));
      right->count_ = move;
    } else {
      std::memcpy(right->children(), children() + keep, move * sizeof(TreeChild));
    }
    right->size_ = move;
    size_ = keep;
    if (leaf_) {
      count_ = keep;
    } else {
      right->Recount();
      Recount();
    }
    return right;
  }
  // Appends all slots of `right`, which the edit owns as well, and empties it.
  void Append(TreeNode* right) {
    if (leaf_) {
      std::memcpy(cells() + size_, right->cells(), right->size_ * sizeof(const Cell*));
    } else {
      std::memcpy(children() + size_, right->children(), right->size_ * sizeof(TreeChild));
    }
    size_ += right->size_;
    count_ += right->count_;
    right->size_ = 0;
  }

 private:
  TreeNode() = default;
  ~TreeNode() = default;

  mutable std::atomic<uint32_t> references_{1};
  uint32_t count_ = 0;  // cells below
  uint64_t owner_ = 0;  // the Edit that may change this node
  uint8_t capacity_ = 0;
  bool leaf_ = true;
  uint32_t size_ = 0;
};

namespace {

// A writer's way down the tree and back: all changes happen on nodes that the edit owns.
class Change {
 public:
  explicit Change(Edit edit) : edit_(edit) {}

  // Puts the cell below `slot`. When the node there had to be split, `right_` is its new neighbour.
  CellRef Put(TreeNode*& slot, CellRef cell) {
    TreeNode* node = TreeNode::Own(slot, edit_, 1);
    if (node->leaf()) return PutInLeaf(node, std::move(cell));
    const uint32_t at = node->ChildOf(cell->key());
    TreeChild& child = node->children()[at];
    CellRef previous = Put(child.node, std::move(cell));
    child.first = child.node->first();
    if (TreeNode* neighbour = std::exchange(right_, nullptr)) node->InsertChild(at + 1, neighbour);
    if (!previous) node->AddCount(1);
    if (node->size() > kMaxSize) right_ = node->Split(edit_);
    return previous;
  }

  // The key is there.
  CellRef Erase(TreeNode*& slot, std::string_view key) {
    TreeNode* node = TreeNode::Own(slot, edit_, 0);
    if (node->leaf()) return node->RemoveCell(node->LowerBound(key));
    const uint32_t at = node->ChildOf(key);
    TreeChild& child = node->children()[at];
    CellRef removed = Erase(child.node, key);
    if (child.node->size() == 0) {
      TreeNode::Unref(child.node);
      node->RemoveChild(at);
    } else {
      child.first = child.node->first();
      if (child.node->size() < kMinSize) Merge(node, at);
    }
    node->AddCount(-1);
    return removed;
  }

  TreeNode* right() { return std::exchange(right_, nullptr); }

 private:
  CellRef PutInLeaf(TreeNode* leaf, CellRef cell) {
    const uint32_t at = leaf->LowerBound(cell->key());
    if (at < leaf->size() && leaf->cells()[at]->key() == cell->key()) return leaf->ReplaceCell(at, std::move(cell));
    leaf->InsertCell(at, std::move(cell));
    if (leaf->size() > kMaxSize) right_ = leaf->Split(edit_);
    return nullptr;
  }

  // Joins the small child `at` with a neighbour when the two fit well in one node.
  void Merge(TreeNode* node, uint32_t at) {
    const uint32_t left = at > 0 ? at - 1 : at;
    if (left + 1 >= node->size()) return;
    TreeChild* pair = node->children() + left;
    const uint32_t both = pair[0].node->size() + pair[1].node->size();
    if (both > kMergedSize) return;
    TreeNode* from = TreeNode::Own(pair[1].node, edit_, 0);
    TreeNode::Own(pair[0].node, edit_, from->size())->Append(from);
    TreeNode::Unref(from);
    node->RemoveChild(left + 1);
  }

  const Edit edit_;
  TreeNode* right_ = nullptr;
};

}  // namespace

Tree::Tree(const Tree& other) : root_(other.root_) {
  if (root_ != nullptr) root_->Ref();
}

Tree::~Tree() { TreeNode::Unref(root_); }

Tree Tree::Build(std::span<const CellRef> sorted) {
  std::vector<TreeNode*> level;
  for (size_t from = 0; from < sorted.size(); from += kMaxSize) {
    const auto size = static_cast<uint32_t>(std::min<size_t>(kMaxSize, sorted.size() - from));
    TreeNode* leaf = TreeNode::New(true, size, 0);
    for (uint32_t i = 0; i < size; ++i) leaf->InsertCell(i, sorted[from + i]);
    level.push_back(leaf);
  }
  while (level.size() > 1) {
    std::vector<TreeNode*> above;
    for (size_t from = 0; from < level.size(); from += kMaxSize) {
      const auto size = static_cast<uint32_t>(std::min<size_t>(kMaxSize, level.size() - from));
      TreeNode* node = TreeNode::New(false, size, 0);
      for (uint32_t i = 0; i < size; ++i) node->InsertChild(i, level[from + i]);
      node->Recount();
      above.push_back(node);
    }
    level = std::move(above);
  }
  Tree tree;
  if (!level.empty()) tree.root_ = level[0];
  return tree;
}

CellRef Tree::Put(CellRef cell, Edit edit) {
  if (root_ == nullptr) root_ = TreeNode::New(true, 1, edit.id());
  Change change(edit);
  CellRef previous = change.Put(root_, std::move(cell));
  if (TreeNode* right = change.right()) {
    TreeNode* above = TreeNode::New(false, 4, edit.id());
    above->InsertChild(0, root_);
    above->InsertChild(1, right);
    above->Recount();
    root_ = above;
  }
  return previous;
}

CellRef Tree::Erase(std::string_view key, Edit edit) {
  if (Find(key) == nullptr) return nullptr;
  CellRef removed = Change(edit).Erase(root_, key);
  while (root_ != nullptr && !root_->leaf() && root_->size() == 1) {
    TreeNode* child = root_->children()[0].node;
    child->Ref();
    TreeNode::Unref(std::exchange(root_, child));
  }
  if (root_->size() == 0) TreeNode::Unref(std::exchange(root_, nullptr));
  return removed;
}

const Cell* Tree::Find(std::string_view key) const {
  const TreeNode* node = root_;
  if (node == nullptr) return nullptr;
  while (!node->leaf()) node = node->children()[node->ChildOf(key)].node;
  const uint32_t at = node->LowerBound(key);
  return at < node->size() && node->cells()[at]->key() == key ? node->cells()[at] : nullptr;
}

size_t Tree::size() const { return root_ == nullptr ? 0 : root_->count(); }

size_t Tree::Rank(std::string_view key) const {
  const TreeNode* node = root_;
  if (node == nullptr) return 0;
  size_t before = 0;
  while (!node->leaf()) {
    const uint32_t at = node->ChildOf(key);
    for (uint32_t i = 0; i < at; ++i) before += node->children()[i].node->count();
    node = node->children()[at].node;
  }
  return before + node->LowerBound(key);
}

TreeCursor::TreeCursor(const Tree& tree, std::string_view start) {
  const TreeNode* node = tree.root_;
  if (node == nullptr) return;
  while (!node->leaf()) {
    const uint32_t at = node->ChildOf(start);
    path_[depth_++] = {node, at + 1};
    node = node->children()[at].node;
  }
  path_[depth_++] = {node, node->LowerBound(start)};
}

const Cell* TreeCursor::Next() {
  while (depth_ > 0) {
    Step& step = path_[depth_ - 1];
    if (step.next == step.node->size()) {
      --depth_;
      continue;
    }
    const uint32_t at = step.next++;
    if (step.node->leaf()) {
      // Whoever walks looks at each: the memory of a few to come is asked for now.
      if (at + kAhead < step.node->size()) __builtin_prefetch(step.node->cells()[at + kAhead]);
      return step.node->cells()[at];
    }
    path_[depth_++] = {step.node->children()[at].node, 0};
  }
  return nullptr;
}

std::string PrefixEnd(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

}  // namespace store
