#include "controllers/owner_index.h"
#include "absl/container/flat_hash_map.h"

#include <algorithm>
#include <utility>

namespace controllers {
namespace {

// Owners by uid, each once: what blocks counts where a uid is named twice.
std::vector<OwnerReference> Distinct(std::vector<OwnerReference> owners) {
  absl::flat_hash_map<std::string, size_t> places;
  size_t kept = 0;
  for (size_t i = 0; i < owners.size(); ++i) {
    const auto [place, fresh] = places.try_emplace(owners[i].uid, kept);
    if (!fresh) {
      owners[place->second].blocks |= owners[i].blocks;
    } else if (kept++ != i) {
      owners[kept - 1] = std::move(owners[i]);
    }
  }
  owners.resize(kept);
  return owners;
}

bool NamesSame(const std::vector<OwnerIndex::Node::Owner>& before, const std::vector<OwnerReference>& now) {
  return std::ranges::equal(before, now, [](const OwnerIndex::Node::Owner& a, const OwnerReference& b) {
    return a.owned->uid == b.uid && a.blocks == b.blocks;
  });
}

}  // namespace

OwnerIndex::Owned& OwnerIndex::OwnedOf(std::string_view uid) {
  auto [found, added] = owned_.try_emplace(uid);
  if (added) {
    found->second = std::make_unique<Owned>();
    found->second->uid = uid;
  }
  return *found->second;
}

void OwnerIndex::Unlink(Node& node) {
  for (const Node::Owner& owner : node.owners) {
    owner.owned->dependents.erase(&node);
    if (owner.blocks) --owner.owned->blocking;
    if (owner.owned->dependents.empty()) owned_.erase(std::string(owner.owned->uid));
  }
  node.owners.clear();
}

void OwnerIndex::Link(Node& node, const std::vector<OwnerReference>& owners) {
  for (const OwnerReference& owner : owners) {
    Owned& owned = OwnedOf(owner.uid);
    owned.dependents.insert(&node);
    if (owner.blocks) ++owned.blocking;
    node.owners.push_back({&owned, owner.blocks});
  }
}

OwnerIndex::Changes OwnerIndex::Put(size_t source, std::string_view key, const ObjectFacts& facts) {
  Changes changes;
  const bool waits = facts.deleting_dependents() || facts.orphaning_dependents();
  const bool wanted = waits || !facts.owner_references.empty();
  auto found = nodes_.find(facts.uid);
  if (found == nodes_.end()) {
    if (!wanted) return changes;
    found = nodes_.try_emplace(facts.uid, std::make_unique<Node>()).first;
    *found->second = {.uid = std::string(facts.uid), .source = source, .key = std::string(key), .owners = {}};
  }
  Node& node = *found->second;
  changes.starts_waiting = (facts.deleting_dependents() && !node.deleting_dependents) ||
                           (facts.orphaning_dependents() && !node.orphaning_dependents);
  node.deleting_dependents = facts.deleting_dependents();
  node.orphaning_dependents = facts.orphaning_dependents();

  const std::vector<OwnerReference> owners = Distinct(ReadOwners(facts));
  if (!NamesSame(node.owners, owners)) {
    changes.owners_changed = true;
    absl::flat_hash_map<std::string_view, bool> blocks;  // by owner
    for (const OwnerReference& owner : owners) blocks.try_emplace(owner.uid, owner.blocks);
    for (const Node::Owner& before : node.owners) {
      const auto now = blocks.find(before.owned->uid);
      if (now == blocks.end() || (before.blocks && !now->second)) changes.let_go.push_back(before.owned->uid);
    }
    Unlink(node);
    Link(node, owners);
  }
  if (node.owners.empty() && !node.waits()) {
    nodes_.erase(found);
  } else {
    changes.node = &node;
  }
  return changes;
}

std::vector<std::string> OwnerIndex::Remove(std::string_view uid) {
  std::vector<std::string> owners;
  const auto found = nodes_.find(uid);
  if (found == nodes_.end()) return owners;
  for (const Node::Owner& owner : found->second->owners) owners.push_back(owner.owned->uid);
  Unlink(*found->second);
  nodes_.erase(found);
  return owners;
}

const OwnerIndex::Node* OwnerIndex::Find(std::string_view uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : found->second.get();
}

const OwnerIndex::Owned* OwnerIndex::FindOwned(std::string_view owner_uid) const {
  const auto found = owned_.find(owner_uid);
  return found == owned_.end() ? nullptr : found->second.get();
}

void OwnerIndex::Clear() {
  nodes_.clear();
  owned_.clear();
}

}  // namespace controllers
