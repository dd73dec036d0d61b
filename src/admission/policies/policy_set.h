// PolicySet: all policies of a kind (validating, mutating) that are bound, compiled, with their bindings; PolicySets
// keeps the newest.
//
// A write that was acknowledged is in force for the next request: Current() compares what the set was made of with what
// is stored and makes a new set where something has changed, of which only the changed policies are compiled. Any
// thread; a set is immutable and shared. Cost: a look at each stored policy and binding a request, about what matching
// them costs anyway.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "admission/policies/compiled_policy.h"
#include "registry/resource_table.h"
#include "store/cell.h"
#include "store/store.h"

namespace admission {

struct BoundPolicy {
  std::shared_ptr<const CompiledPolicy> policy;
  std::vector<std::shared_ptr<const PolicyBinding>> bindings;  // by name, at least one
};

class PolicySet {
 public:
  const std::vector<BoundPolicy>& bound() const { return bound_; }  // by the policies' names

 private:
  friend class PolicySets;
  template <class Made>
  struct Stored {
    store::CellRef cell;
    std::shared_ptr<const Made> made;  // null: it cannot be read
  };
  template <class Made>
  using StoredByName = std::vector<Stored<Made>>;  // in order of their keys

  // Whether these are the cells that it was made of.
  template <class Made>
  static bool IsMadeOf(const StoredByName<Made>& made, const store::Snapshot& snapshot);
  void Bind();

  StoredByName<CompiledPolicy> policies_;
  StoredByName<PolicyBinding> bindings_;
  std::vector<BoundPolicy> bound_;
};

class PolicySets {
 public:
  // Which policies: "validating" or "mutating", of that version. Both references outlive this.
  PolicySets(store::Store& store, const registry::ResourceTable& resources, std::string_view kind,
             std::string_view version);

  // What is in force now; never null.
  std::shared_ptr<const PolicySet> Current() const;

 private:
  template <class Made, class Make>
  void Renew(PolicySet::StoredByName<Made>& to, const PolicySet::StoredByName<Made>& from,
             const store::Snapshot& snapshot, const registry::Resource& resource, Make make) const;

  store::Store& store_;
  const registry::Resource* const policies_;
  const registry::Resource* const bindings_;
  mutable cel::ProgramCache programs_;
  mutable std::mutex mutex_;  // guards the pointer
  mutable std::shared_ptr<const PolicySet> newest_ = std::make_shared<const PolicySet>();
};

}  // namespace admission
