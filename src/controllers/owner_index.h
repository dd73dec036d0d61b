// OwnerIndex: who names whom as owner, over all objects: the garbage collector's memory. It holds only objects that
// name owners, and those that wait for their dependents (by a finalizer); all else is asked of the store when it is
// needed.
//
// Threads: one. Cost: a change of an object is O(its owners). Memory: some 250 bytes for an object with one owner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/string_map.h"
#include "controllers/object_facts.h"

namespace controllers {

class OwnerIndex {
 public:
  struct Node;
  // Everything that names one uid as owner.
  struct Owned {
    std::string uid;
    absl::flat_hash_set<Node*> dependents;
    size_t blocking = 0;  // of them, those that hold up its deletion in the foreground
  };
  struct Node {
    std::string uid;
    size_t source = 0;  // in which collection, as the caller counts them
    std::string key;
    bool deleting_dependents = false, orphaning_dependents = false;
    struct Owner {
      Owned* owned;
      bool blocks;
    };
    std::vector<Owner> owners;

    bool waits() const { return deleting_dependents || orphaning_dependents; }
  };

  // What a change of an object means for others.
  struct Changes {
    Node* node = nullptr;             // null: the object is of no interest
    bool owners_changed = false;      // it names others than before
    bool starts_waiting = false;      // for its dependents
    std::vector<std::string> let_go;  // uids of owners it does not hold up any more
  };
  Changes Put(size_t source, std::string_view key, const ObjectFacts& facts);
  // The object is gone. Gives the owners it had.
  std::vector<std::string> Remove(std::string_view uid);

  const Node* Find(std::string_view uid) const;
  // Null where nobody names it.
  const Owned* FindOwned(std::string_view owner_uid) const;
  // Everything is forgotten.
  void Clear();

  size_t size() const { return nodes_.size(); }

 private:
  Owned& OwnedOf(std::string_view uid);
  void Unlink(Node& node);
  void Link(Node& node, const std::vector<OwnerReference>& owners);

  base::StringMap<std::unique_ptr<Node>> nodes_;   // by uid
  base::StringMap<std::unique_ptr<Owned>> owned_;  // by the owner's uid; none is empty
};

}  // namespace controllers
