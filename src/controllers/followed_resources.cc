#include "controllers/followed_resources.h"

#include <algorithm>

#include "api/group_version.h"

namespace controllers {

FollowedResources::FollowedResources(registry::Registry& registry, base::Executor& executor, Options options)
    : tables_(registry.tables()),
      executor_(executor),
      options_(std::move(options)),
      table_(registry::ResourceTable::Make({})),
      self_(std::make_shared<FollowedResources*>(this)) {}

FollowedResources::~FollowedResources() {
  Stop();
  *self_ = nullptr;
}

void FollowedResources::Start() {
  subscription_ = tables_.Subscribe([self = self_, &executor = executor_](const registry::ResourceTableRef&,
                                                                          const registry::ResourceTableRef& after) {
    executor.Post([self, after] {
      if (*self != nullptr) (*self)->Follow(after);
    });
  });
}

void FollowedResources::Stop() { subscription_ = registry::ResourceTables::Subscription(); }

size_t FollowedResources::NumberOf(store::CollectionId collection) const {
  const auto found = numbers_.find(collection);
  return found == numbers_.end() ? SIZE_MAX : found->second;
}

// What comes first, then what goes: a record that is replaced leaves its collection followed.
void FollowedResources::Follow(const registry::ResourceTableRef& table) {
  std::vector<std::pair<registry::ResourceRef, registry::ResourceRef>> changes;
  registry::ResourceTable::ForEachDifference(
      *table_, *table, [&](const registry::ResourceRef& before, const registry::ResourceRef& after) {
        changes.emplace_back(before, after);
      });
  // The order of the table, of which the first version is the preferred one.
  std::ranges::sort(changes, [](const auto& a, const auto& b) {
    const registry::Resource& one = a.second != nullptr ? *a.second : *a.first;
    const registry::Resource& other = b.second != nullptr ? *b.second : *b.first;
    if (one.place != other.place) return one.place < other.place;
    return api::CompareVersions(one.version, other.version) > 0;
  });
  table_ = table;
  for (const auto& [before, after] : changes) {
    if (options_.changed) options_.changed(before, after);
    if (after != nullptr && after->storage != nullptr && options_.is_wanted(*after)) Add(after);
  }
  for (const auto& [before, after] : changes) {
    if (before != nullptr && before->storage != nullptr && options_.is_wanted(*before)) Remove(before);
  }
}

void FollowedResources::Add(const registry::ResourceRef& resource) {
  const store::CollectionId collection = resource->storage->id;
  if (const auto known = numbers_.find(collection); known != numbers_.end()) {
    places_[known->second].versions.push_back(resource);
    return;
  }
  size_t number = places_.size();
  if (free_.empty()) {
    places_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  places_[number] = {resource, {resource}};
  numbers_[collection] = number;
  options_.added(number);
}

void FollowedResources::Remove(const registry::ResourceRef& resource) {
  const store::CollectionId collection = resource->storage->id;
  const auto known = numbers_.find(collection);
  if (known == numbers_.end()) return;
  const size_t number = known->second;
  Place& place = places_[number];
  std::erase(place.versions, resource);
  if (!place.versions.empty()) {
    place.resource = place.versions.front();
    return;
  }
  options_.removed(number);
  place = {};
  numbers_.erase(known);
  free_.push_back(number);
}

}  // namespace controllers
