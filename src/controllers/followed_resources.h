// FollowedResources: the collections of those resources of the newest table that a controller cares for, each once, by
// numbers that stay while the collection is followed. For controllers that look at "everything": they are told when a
// collection comes and goes, in place of a list made at their start.
//
// Threads: Start() and Stop() by the wiring thread, the callbacks and all else on the executor. Ownership: everything
// given outlives it; entries are counted, so that what a number named goes on existing for who holds it.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "base/executor.h"
#include "registry/registry.h"

namespace controllers {

class FollowedResources {
 public:
  struct Options {
    absl::AnyInvocable<bool(const registry::Resource&) const> is_wanted;
    // The collection of that number has come, or goes: what it names can still be asked for.
    absl::AnyInvocable<void(size_t number)> added, removed;
    // A resource (or its record, where it was replaced) has come or gone, wanted or not. May be null.
    absl::AnyInvocable<void(const registry::ResourceRef& before, const registry::ResourceRef& after)> changed;
  };
  FollowedResources(registry::Registry& registry, base::Executor& executor, Options options);
  ~FollowedResources();
  FollowedResources(const FollowedResources&) = delete;
  FollowedResources& operator=(const FollowedResources&) = delete;

  // Begins with what is served now: told on the executor, before anything that is posted there afterwards.
  void Start();
  // Nothing is told any more.
  void Stop();

  // Numbers are below this; some may name nothing.
  size_t size() const { return places_.size(); }
  // One resource of the collection; null where the number names nothing.
  const registry::ResourceRef& at(size_t number) const { return places_[number].resource; }
  // The number of a collection that is followed, or SIZE_MAX.
  size_t NumberOf(store::CollectionId collection) const;

 private:
  struct Place {
    registry::ResourceRef resource;               // the first of `versions`
    std::vector<registry::ResourceRef> versions;  // that are served of the collection
  };

  void Follow(const registry::ResourceTableRef& table);
  void Add(const registry::ResourceRef& resource);
  void Remove(const registry::ResourceRef& resource);

  registry::ResourceTables& tables_;
  base::Executor& executor_;
  Options options_;
  registry::ResourceTableRef table_;
  std::vector<Place> places_;
  std::vector<size_t> free_;
  absl::flat_hash_map<store::CollectionId, size_t> numbers_;
  registry::ResourceTables::Subscription subscription_;
  std::shared_ptr<FollowedResources*> self_;  // for posted work that may come too late
};

}  // namespace controllers
