#include "registry/resource_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "api/group_version.h"

namespace registry {
namespace {

using Names = std::tuple<std::string_view, std::string_view, std::string_view>;

uint64_t HashOf(std::string_view group, std::string_view version, std::string_view plural) {
  return absl::Hash<Names>()(Names(group, version, plural));
}

Names NamesOf(const Resource& resource) { return {resource.group, resource.version, resource.plural}; }

bool StandsBefore(const Resource* a, const Resource* b) {
  if (a->place != b->place) return a->place < b->place;
  if (a->group != b->group) return a->group < b->group;
  if (a->version != b->version) {
    const int preferred = api::CompareVersions(a->version, b->version);
    return preferred != 0 ? preferred > 0 : a->version < b->version;
  }
  return a->plural < b->plural;
}

}  // namespace

uint64_t ResourceTable::ByName::Hash(const ResourceRef& resource) {
  return HashOf(resource->group, resource->version, resource->plural);
}

bool ResourceTable::ByName::Same(const ResourceRef& a, const ResourceRef& b) { return NamesOf(*a) == NamesOf(*b); }

uint64_t ResourceTable::ByVersion::Hash(const Count& count) { return HashOf(count.group, count.version, ""); }

bool ResourceTable::ByVersion::Same(const Count& a, const Count& b) {
  return a.group == b.group && a.version == b.version;
}

const ResourceRef* ResourceTable::FindRef(std::string_view group, std::string_view version,
                                          std::string_view plural) const {
  const Names wanted(group, version, plural);
  return resources_.Find(HashOf(group, version, plural),
                         [&](const ResourceRef& one) { return NamesOf(*one) == wanted; });
}

const ResourceTable::Count* ResourceTable::FindCount(std::string_view group, std::string_view version) const {
  return counts_.Find(HashOf(group, version, ""),
                      [&](const Count& one) { return one.group == group && one.version == version; });
}

const Resource* ResourceTable::Find(std::string_view group, std::string_view version, std::string_view plural) const {
  const ResourceRef* found = FindRef(group, version, plural);
  return found == nullptr ? nullptr : found->get();
}

ResourceRef ResourceTable::FindEntry(std::string_view group, std::string_view version, std::string_view plural) const {
  const ResourceRef* found = FindRef(group, version, plural);
  return found == nullptr ? nullptr : *found;
}

bool ResourceTable::HasGroup(std::string_view group) const { return FindCount(group, "") != nullptr; }

bool ResourceTable::HasVersion(std::string_view group, std::string_view version) const {
  return !version.empty() && FindCount(group, version) != nullptr;
}

void ResourceTable::AddTo(std::string_view group, std::string_view version, int64_t count) {
  const Count* known = FindCount(group, version);
  Count changed{std::string(group), std::string(version), known == nullptr ? 0 : known->count};
  changed.count = static_cast<size_t>(static_cast<int64_t>(changed.count) + count);
  counts_ = changed.count == 0 ? counts_.Without(changed) : counts_.With(changed);
}

void ResourceTable::Put(const ResourceRef& resource) {
  if (FindRef(resource->group, resource->version, resource->plural) == nullptr) {
    AddTo(resource->group, "", 1);
    AddTo(resource->group, resource->version, 1);
    ++size_;
  }
  resources_ = resources_.With(resource);
}

void ResourceTable::Remove(const ResourceRef& resource) {
  AddTo(resource->group, "", -1);
  AddTo(resource->group, resource->version, -1);
  --size_;
  resources_ = resources_.Without(resource);
}

ResourceTableRef ResourceTable::Make(std::vector<ResourceRef> resources) {
  return ResourceTable().With({.remove = {}, .put = std::move(resources)});
}

ResourceTableRef ResourceTable::With(const Edit& edit) const {
  auto next = std::make_shared<ResourceTable>();
  next->resources_ = resources_;
  next->counts_ = counts_;
  next->size_ = size_;
  for (const Edit::Name& name : edit.remove) {
    if (ResourceRef gone = next->FindEntry(name.group, name.version, name.plural)) next->Remove(gone);
  }
  for (const ResourceRef& resource : edit.put) next->Put(resource);
  return next;
}

std::span<const Resource* const> ResourceTable::All() const {
  std::call_once(ordered_once_, [this] {
    ordered_.reserve(size_);
    resources_.ForEach([this](const ResourceRef& resource) { ordered_.push_back(resource.get()); });
    std::ranges::sort(ordered_, StandsBefore);
  });
  return ordered_;
}

void ResourceTable::ForEachDifference(
    const ResourceTable& before, const ResourceTable& after,
    absl::FunctionRef<void(const ResourceRef& before, const ResourceRef& after)> visit) {
  Resources::ForEachDifference(before.resources_, after.resources_, [&](const ResourceRef* was, const ResourceRef* is) {
    visit(was == nullptr ? ResourceRef() : *was, is == nullptr ? ResourceRef() : *is);
  });
}

ResourceTables::ResourceTables(ResourceTableRef first) : newest_(std::move(first)) {}

ResourceTables::~ResourceTables() = default;

ResourceTableRef ResourceTables::Publish(const ResourceTable::Edit& edit) {
  std::lock_guard lock(publishing_);
  const ResourceTableRef before = newest_.Load();
  ResourceTableRef after = before->With(edit);
  newest_.Store(after);
  for (Subscribed& subscriber : subscribers_) subscriber.call(before, after);
  return after;
}

ResourceTables::Subscription ResourceTables::Subscribe(Subscriber subscriber) {
  std::lock_guard lock(publishing_);
  subscriber(nullptr, newest_.Load());
  subscribers_.push_back({++last_number_, std::move(subscriber)});
  return {this, last_number_};
}

void ResourceTables::End(uint64_t number) {
  std::lock_guard lock(publishing_);
  std::erase_if(subscribers_, [&](const Subscribed& one) { return one.number == number; });
}

ResourceTables::Subscription::Subscription(Subscription&& other) noexcept
    : tables_(std::exchange(other.tables_, nullptr)), number_(other.number_) {}

ResourceTables::Subscription& ResourceTables::Subscription::operator=(Subscription&& other) noexcept {
  std::swap(tables_, other.tables_);
  std::swap(number_, other.number_);
  return *this;
}

ResourceTables::Subscription::~Subscription() {
  if (tables_ != nullptr) tables_->End(number_);
}

}  // namespace registry
