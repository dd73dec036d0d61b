// ResourceTable: every served resource at one moment, by group, version and plural; ResourceTables publishes the newest
// one. A request, a watch, a list or a round of a controller takes one snapshot (or one counted entry) and keeps to it:
// a resource may go away under it safely.
//
// A change makes a new table that shares all but a path with the old one, so that the thousandth resource costs what
// the first did (about a microsecond, and what the subscribers do); two tables are compared by what differs. Look-ups
// are of a hash. Threads: a table is immutable, any thread; Snapshot() takes no lock.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "base/hash_trie.h"
#include "base/published.h"
#include "registry/resource.h"

namespace registry {

class ResourceTable;
using ResourceTableRef = std::shared_ptr<const ResourceTable>;

class ResourceTable {
 public:
  // What is put replaces what has its group, version and plural; what is removed and not put again goes.
  struct Edit {
    struct Name {
      std::string group, version, plural;
    };
    std::vector<Name> remove;
    std::vector<ResourceRef> put;
  };
  static ResourceTableRef Make(std::vector<ResourceRef> resources);
  ResourceTableRef With(const Edit& edit) const;

  // Null where it is not served. Holds as long as the table.
  const Resource* Find(std::string_view group, std::string_view version, std::string_view plural) const;
  // The same, counted.
  ResourceRef FindEntry(std::string_view group, std::string_view version, std::string_view plural) const;
  bool HasGroup(std::string_view group) const;
  bool HasVersion(std::string_view group, std::string_view version) const;
  // In discovery order: put in order when somebody first asks.
  std::span<const Resource* const> All() const;
  size_t size() const { return size_; }

  // Every resource that is not the same record in both; null where one has none of that name.
  static void ForEachDifference(const ResourceTable& before, const ResourceTable& after,
                                absl::FunctionRef<void(const ResourceRef& before, const ResourceRef& after)> visit);

 private:
  struct ByName {
    static uint64_t Hash(const ResourceRef& resource);
    static bool Same(const ResourceRef& a, const ResourceRef& b);
  };
  // How many resources a group, or a version of it, has.
  struct Count {
    std::string group, version;  // version "": the group
    size_t count = 0;
    bool operator==(const Count&) const = default;
  };
  struct ByVersion {
    static uint64_t Hash(const Count& count);
    static bool Same(const Count& a, const Count& b);
  };
  using Resources = base::HashTrie<ResourceRef, ByName>;
  using Counts = base::HashTrie<Count, ByVersion>;

  const ResourceRef* FindRef(std::string_view group, std::string_view version, std::string_view plural) const;
  const Count* FindCount(std::string_view group, std::string_view version) const;
  void AddTo(std::string_view group, std::string_view version, int64_t count);
  void Put(const ResourceRef& resource);
  void Remove(const ResourceRef& resource);

  Resources resources_;
  Counts counts_;
  size_t size_ = 0;
  mutable std::once_flag ordered_once_;
  mutable std::vector<const Resource*> ordered_;
};

class ResourceTables {
 public:
  explicit ResourceTables(ResourceTableRef first = ResourceTable::Make({}));
  // Every subscription has ended.
  ~ResourceTables();
  ResourceTables(const ResourceTables&) = delete;
  ResourceTables& operator=(const ResourceTables&) = delete;

  // The newest table. Any thread, no lock.
  ResourceTableRef Snapshot() const { return newest_.Load(); }

  // Publishes the newest table with `edit`: it is what Snapshot() gives, and every subscriber has been told, when this
  // returns. Any thread; one after the other. Gives the new table.
  ResourceTableRef Publish(const ResourceTable::Edit& edit);

  // Told of each change in the order of the subscriptions, on the publisher's thread, one change at a time. What it
  // does is waited for by the write that made the change: short, and no publishing.
  using Subscriber = absl::AnyInvocable<void(const ResourceTableRef& before, const ResourceTableRef& after)>;
  // Ends with its object: afterwards the subscriber is not called any more.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&& other) noexcept;
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription();

   private:
    friend class ResourceTables;
    Subscription(ResourceTables* tables, uint64_t number) : tables_(tables), number_(number) {}
    ResourceTables* tables_ = nullptr;
    uint64_t number_ = 0;
  };
  // `first` is called with null and the newest table before this returns: nothing is missed between.
  [[nodiscard]] Subscription Subscribe(Subscriber subscriber);

 private:
  struct Subscribed {
    uint64_t number;
    Subscriber call;
  };
  void End(uint64_t number);

  base::PublishedShared<const ResourceTable> newest_;
  std::mutex publishing_;  // guards these
  std::vector<Subscribed> subscribers_;
  uint64_t last_number_ = 0;
};

}  // namespace registry
