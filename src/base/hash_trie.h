// HashTrie<Entry>: an immutable hash table whose versions share what they have in common. Changing one entry copies a
// path of the tree, whatever the size: some hundred nanoseconds. Two versions are compared by their differences alone.
//
// Entry is cheap to copy (a shared_ptr) and has, in Traits, `static uint64_t Hash(const Entry&)` of its key and
// `static bool Same(const Entry&, const Entry&)`: whether two have one key. Threads: immutable, any. Copying a HashTrie
// is one atomic increment. Whoever lets outsiders choose keys takes a hash that they cannot foresee (absl::Hash is
// seeded a process).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"

namespace base {

template <class Entry, class Traits>
class HashTrie {
 public:
  // The entry of that hash that `is_wanted` takes, or null. It holds as long as this version.
  template <class IsWanted>
  const Entry* Find(uint64_t hash, const IsWanted& is_wanted) const {
    const Node* node = root_.get();
    for (int level = 0; node != nullptr && node->branch != nullptr; ++level) {
      node = (*node->branch)[Digit(hash, level)].get();
    }
    if (node == nullptr) return nullptr;
    for (const Entry& entry : node->entries) {
      if (is_wanted(entry)) return &entry;
    }
    return nullptr;
  }

  // With `entry`, in the place of the one of the same key.
  [[nodiscard]] HashTrie With(const Entry& entry) const { return HashTrie(Put(root_, entry, Traits::Hash(entry), 0)); }
  // Without the entry of the key that `like` has.
  [[nodiscard]] HashTrie Without(const Entry& like) const {
    return HashTrie(Erase(root_, like, Traits::Hash(like), 0));
  }

  // In no order.
  void ForEach(absl::FunctionRef<void(const Entry&)> visit) const { Visit(root_.get(), visit); }

  // Every key whose entries are not one and the same in both: `before` or `after` is null where it is in one alone.
  // Costs what is not shared.
  static void ForEachDifference(const HashTrie& before, const HashTrie& after,
                                absl::FunctionRef<void(const Entry* before, const Entry* after)> visit) {
    Compare(before.root_.get(), after.root_.get(), visit);
  }

  HashTrie() = default;

 private:
  static constexpr int kBits = 4;
  static constexpr int kLevels = 64 / kBits;
  static constexpr size_t kLeaf = 8;  // entries; more are spread, as far as there are digits
  struct Node;
  using NodeRef = std::shared_ptr<const Node>;
  using Branch = std::array<NodeRef, size_t{1} << kBits>;
  struct Node {
    std::vector<Entry> entries;            // of a leaf
    std::unique_ptr<const Branch> branch;  // of all others
  };

  explicit HashTrie(NodeRef root) : root_(std::move(root)) {}

  static size_t Digit(uint64_t hash, int level) { return (hash >> (level * kBits)) & ((uint64_t{1} << kBits) - 1); }

  static NodeRef MakeBranch(Branch children) {
    auto node = std::make_shared<Node>();
    node->branch = std::make_unique<const Branch>(std::move(children));
    return node;
  }

  static NodeRef MakeLeaf(std::vector<Entry> entries, int level) {
    if (entries.size() > kLeaf && level < kLevels) {
      std::array<std::vector<Entry>, size_t{1} << kBits> parts;
      for (Entry& entry : entries) parts[Digit(Traits::Hash(entry), level)].push_back(std::move(entry));
      Branch children;
      for (size_t i = 0; i < parts.size(); ++i) {
        if (!parts[i].empty()) children[i] = MakeLeaf(std::move(parts[i]), level + 1);
      }
      return MakeBranch(std::move(children));
    }
    auto node = std::make_shared<Node>();
    node->entries = std::move(entries);
    return node;
  }

  static NodeRef Put(const NodeRef& node, const Entry& entry, uint64_t hash, int level) {
    if (node == nullptr) return MakeLeaf({entry}, level);
    if (node->branch != nullptr) {
      Branch children = *node->branch;
      NodeRef& child = children[Digit(hash, level)];
      child = Put(child, entry, hash, level + 1);
      return MakeBranch(std::move(children));
    }
    std::vector<Entry> entries = node->entries;
    for (Entry& one : entries) {
      if (!Traits::Same(one, entry)) continue;
      one = entry;
      return MakeLeaf(std::move(entries), level);
    }
    entries.push_back(entry);
    return MakeLeaf(std::move(entries), level);
  }

  static NodeRef Erase(const NodeRef& node, const Entry& like, uint64_t hash, int level) {
    if (node == nullptr) return nullptr;
    if (node->branch != nullptr) {
      const size_t digit = Digit(hash, level);
      NodeRef child = Erase((*node->branch)[digit], like, hash, level + 1);
      if (child == (*node->branch)[digit]) return node;
      Branch children = *node->branch;
      children[digit] = std::move(child);
      for (const NodeRef& other : children) {
        if (other != nullptr) return MakeBranch(std::move(children));
      }
      return nullptr;
    }
    for (size_t i = 0; i < node->entries.size(); ++i) {
      if (!Traits::Same(node->entries[i], like)) continue;
      std::vector<Entry> entries = node->entries;
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
      return entries.empty() ? nullptr : MakeLeaf(std::move(entries), level);
    }
    return node;
  }

  static void Visit(const Node* node, absl::FunctionRef<void(const Entry&)> visit) {
    if (node == nullptr) return;
    for (const Entry& entry : node->entries) visit(entry);
    if (node->branch == nullptr) return;
    for (const NodeRef& child : *node->branch) Visit(child.get(), visit);
  }

  static void Compare(const Node* before, const Node* after,
                      absl::FunctionRef<void(const Entry*, const Entry*)> visit) {
    if (before == after) return;
    if (before != nullptr && after != nullptr && before->branch != nullptr && after->branch != nullptr) {
      for (size_t i = 0; i < before->branch->size(); ++i) {
        Compare((*before->branch)[i].get(), (*after->branch)[i].get(), visit);
      }
      return;
    }
    // One of them at least is a leaf or nothing: a few entries.
    const auto in = [](const Node* node, const Entry& like) {
      const Entry* found = nullptr;
      Visit(node, [&](const Entry& entry) {
        if (Traits::Same(entry, like)) found = &entry;
      });
      return found;
    };
    Visit(before, [&](const Entry& entry) {
      const Entry* other = in(after, entry);
      if (other == nullptr || !(*other == entry)) visit(&entry, other);
    });
    Visit(after, [&](const Entry& entry) {
      if (in(before, entry) == nullptr) visit(nullptr, &entry);
    });
  }

  NodeRef root_;
};

}  // namespace base
