// ReplacedResources: tells watches of custom resources when their definition became another one, or went: they end
// then, so that clients come again and get what is served now.
//
// Any thread. Owned by the server, outlives every watch. Cost: a list entry for each watch of a custom resource; a walk
// over those of a resource when it is replaced.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "registry/resource_table.h"

namespace handlers {

class ReplacedResources {
 public:
  // `tables` outlives the object.
  explicit ReplacedResources(registry::ResourceTables& tables);
  ReplacedResources(const ReplacedResources&) = delete;
  ReplacedResources& operator=(const ReplacedResources&) = delete;

  // Ends with the object.
  class Follower {
   public:
    ~Follower();
    bool replaced() const { return replaced_; }

   private:
    friend class ReplacedResources;
    Follower(ReplacedResources& owner, registry::ResourceRef resource, std::function<void()> wake)
        : owner_(owner), resource_(std::move(resource)), wake_(std::move(wake)) {}
    ReplacedResources& owner_;
    const registry::ResourceRef resource_;
    const std::function<void()> wake_;
    std::atomic<bool> replaced_ = false;
  };
  // `wake` is called on any thread when the resource has been replaced; not after the follower's end.
  std::unique_ptr<Follower> Follow(registry::ResourceRef resource, std::function<void()> wake);

 private:
  void Tell(const registry::ResourceTable& before, const registry::ResourceTable& after);

  registry::ResourceTables& tables_;
  std::mutex mutex_;                                                            // guards these
  absl::flat_hash_map<const void*, absl::flat_hash_set<Follower*>> followers_;  // by Resource::types
  registry::ResourceTables::Subscription subscription_;
};

}  // namespace handlers
