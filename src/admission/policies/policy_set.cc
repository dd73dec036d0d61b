#include "admission/policies/policy_set.h"

#include <algorithm>

#include "base/text.h"
#include "registry/stored_form.h"
#include "store/snapshot.h"

namespace admission {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

}  // namespace

template <class Made>
bool PolicySet::IsMadeOf(const StoredByName<Made>& made, const store::Snapshot& snapshot) {
  store::Scan scan = snapshot.Scan();
  for (const Stored<Made>& stored : made) {
    if (scan.Next() != stored.cell.get()) return false;
  }
  return scan.Next() == nullptr;
}

void PolicySet::Bind() {
  std::map<std::string_view, size_t> places;
  for (const Stored<CompiledPolicy>& stored : policies_) {
    if (stored.made == nullptr) continue;
    places.emplace(stored.made->name, bound_.size());
    bound_.push_back({.policy = stored.made, .bindings = {}});
  }
  for (const Stored<PolicyBinding>& stored : bindings_) {
    if (stored.made == nullptr) continue;
    const auto policy = places.find(stored.made->policy_name);
    if (policy != places.end()) bound_[policy->second].bindings.push_back(stored.made);
  }
  std::erase_if(bound_, [](const BoundPolicy& policy) { return policy.bindings.empty(); });
}

PolicySets::PolicySets(store::Store& store, const registry::ResourceTable& resources, std::string_view kind,
                       std::string_view version)
    : store_(store),
      policies_(resources.Find(kGroup, version, base::Cat(kind, "admissionpolicies"))),
      bindings_(resources.Find(kGroup, version, base::Cat(kind, "admissionpolicybindings"))) {}

template <class Made, class Make>
void PolicySets::Renew(PolicySet::StoredByName<Made>& to, const PolicySet::StoredByName<Made>& from,
                       const store::Snapshot& snapshot, const registry::Resource& resource, Make make) const {
  // Both are in order of their keys.
  auto former = from.begin();
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) {
    while (former != from.end() && former->cell->key() < cell->key()) ++former;
    if (former != from.end() && former->cell.get() == cell) {
      to.push_back(*former);
      continue;
    }
    PolicySet::Stored<Made> stored{.cell = store::CellRef(cell), .made = nullptr};
    value::Arena arena;
    if (cell->readable()) {
      if (const auto object = registry::DecodeStored(resource, *cell, arena)) stored.made = make(*object);
    }
    to.push_back(std::move(stored));
  }
}

std::shared_ptr<const PolicySet> PolicySets::Current() const {
  std::shared_ptr<const PolicySet> newest;
  {
    const std::lock_guard lock(mutex_);
    newest = newest_;
  }
  if (policies_ == nullptr || bindings_ == nullptr) return newest;
  const store::Snapshot policies = store_.Latest(policies_->storage->id);
  const store::Snapshot bindings = store_.Latest(bindings_->storage->id);
  if (PolicySet::IsMadeOf(newest->policies_, policies) && PolicySet::IsMadeOf(newest->bindings_, bindings)) {
    return newest;
  }
  auto renewed = std::make_shared<PolicySet>();
  Renew(renewed->policies_, newest->policies_, policies, *policies_,
        [&](const value::Value& object) { return std::make_shared<const CompiledPolicy>(object, programs_); });
  Renew(renewed->bindings_, newest->bindings_, bindings, *bindings_,
        [](const value::Value& object) { return std::make_shared<const PolicyBinding>(object); });
  renewed->Bind();
  const std::lock_guard lock(mutex_);
  // Of two threads the later one stays, whichever it is: the next request looks again.
  newest_ = renewed;
  return renewed;
}

}  // namespace admission
