#include "handlers/replaced_resources.h"

#include <utility>

namespace handlers {
namespace {

// A definition may be written without becoming another one: its resources keep their types then.
bool IsReplaced(const registry::Resource& before, const registry::Resource* after) {
  return before.custom && (after == nullptr || after->types != before.types);
}

}  // namespace

ReplacedResources::ReplacedResources(registry::ResourceTables& tables) : tables_(tables) {
  subscription_ =
      tables.Subscribe([this](const registry::ResourceTableRef& before, const registry::ResourceTableRef& after) {
        if (before != nullptr) Tell(*before, *after);
      });
}

std::unique_ptr<ReplacedResources::Follower> ReplacedResources::Follow(registry::ResourceRef resource,
                                                                       std::function<void()> wake) {
  std::unique_ptr<Follower> follower(new Follower(*this, std::move(resource), std::move(wake)));
  const registry::Resource& followed = *follower->resource_;
  {
    const std::lock_guard lock(mutex_);
    followers_[followed.types.get()].insert(follower.get());
  }
  // It may have been replaced since it was looked up.
  if (IsReplaced(followed, tables_.Snapshot()->Find(followed.group, followed.version, followed.plural))) {
    follower->replaced_ = true;
  }
  return follower;
}

ReplacedResources::Follower::~Follower() {
  const std::lock_guard lock(owner_.mutex_);
  const auto found = owner_.followers_.find(resource_->types.get());
  if (found == owner_.followers_.end()) return;
  found->second.erase(this);
  if (found->second.empty()) owner_.followers_.erase(found);
}

void ReplacedResources::Tell(const registry::ResourceTable& before, const registry::ResourceTable& after) {
  registry::ResourceTable::ForEachDifference(before, after,
                                             [&](const registry::ResourceRef& was, const registry::ResourceRef& is) {
                                               if (was == nullptr || !IsReplaced(*was, is.get())) return;
                                               const std::lock_guard lock(mutex_);
                                               const auto found = followers_.find(was->types.get());
                                               if (found == followers_.end()) return;
                                               for (Follower* follower : found->second) {
                                                 follower->replaced_ = true;
                                                 follower->wake_();
                                               }
                                             });
}

}  // namespace handlers
