// A thousand resources that come and go at run time, while others write, list and watch them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "registry/registry_fixture.h"

namespace registry {
namespace {

constexpr size_t kResources = 1000;

ResourceRef MakeThing(store::Store& store, const Resource& like, size_t number) {
  auto resource = std::make_shared<Resource>(like);
  resource->group = base::Cat("g", number % 40, ".io");
  resource->plural = base::Cat("things", number);
  resource->kind = base::Cat("Thing", number);
  resource->place = Resource::kLastPlace;
  resource->custom = true;
  auto storage = std::make_shared<Storage>();
  storage->collection = base::Cat(resource->group, "/", resource->plural);
  storage->group = resource->group;
  storage->version = resource->version;
  storage->kind = resource->kind;
  storage->type = resource->type;
  storage->id = store.Collection(storage->collection).value();
  resource->storage = std::move(storage);
  // A strategy with state of its own, which has to live as long as somebody works with the resource.
  class Counting final : public Strategy {
   public:
    Counting() : Strategy(facts_) { text_ = "a text that is too long for the string itself to hold it"; }
    api::FieldErrors Validate(WriteContext&, const Value&) const override {
      seen_ += text_.size();
      return {};
    }

   private:
    StrategyFacts facts_;
    std::string text_;
    mutable std::atomic<size_t> seen_{0};
  };
  resource->strategy = std::make_shared<Counting>();
  return resource;
}

ResourceTable::Edit::Name NameOf(const Resource& resource) {
  return {resource.group, resource.version, resource.plural};
}

// Uses whatever resource it finds: creates an object, watches, lists, reads what the watch had, deletes. `writing` is
// held during writes: Compact forgets at once, also the history that a write which is under way answers with.
class User {
 public:
  User(Fixture& fixture, std::shared_mutex& writing, size_t seed)
      : f_(fixture), writing_(writing), next_(seed * 7919) {}

  void Round() {
    const ResourceTableRef table = f_.table.Snapshot();
    next_ += 331;
    const size_t number = next_ % kResources;
    const ResourceRef resource =
        table->FindEntry(base::Cat("g", number % 40, ".io"), "v1", base::Cat("things", number));
    if (resource == nullptr) return;
    Use(*resource, *table);
    if (watcher_ != nullptr) {
      while (true) {
        const auto event = watcher_->Next();
        if (!event || *event == nullptr) break;
        ++events;
        EXPECT_FALSE((*event)->cell().bytes().empty());
      }
    }
    // Kept over the next rounds: the resource may go under them.
    std::swap(watched_, held_);
    held_ = resource;
    watcher_ = nullptr;
    if (auto watcher = f_.store->Watch({.collection = resource->storage->id,
                                        .prefix = "",
                                        .exact_key = false,
                                        .index = {},
                                        .after = f_.store->revision()},
                                       [] {})) {
      watcher_ = *std::move(watcher);
    }
    watched_ = resource;
    const store::Cell* cell = list_ ? list_->Next() : nullptr;
    while (cell != nullptr) {
      EXPECT_FALSE(cell->bytes().empty());
      cell = list_->Next();
    }
    Call call{request_, executor_, warnings_, *table};
    auto list = executor_.Run(f_.registry->List(call, *resource, "ns", {}));
    ASSERT_TRUE(list);
    list_.emplace(*std::move(list));
    list_of_ = resource;
    warnings_.clear();
  }

  size_t events = 0, created = 0;

 private:
  void Use(const Resource& resource, const ResourceTable& table) {
    Call call{request_, executor_, warnings_, table};
    Arena arena;
    const std::string name = base::Cat("o", next_), json = base::Cat(R"({"metadata":{"name":")", name, R"("}})");
    const Value object = schema::Decode(*resource.type, value::ReadJson(json, arena).value(), arena, nullptr).value();
    std::shared_lock writing(writing_);
    const auto made = executor_.Run(f_.registry->CreateObject(call, resource, {{"ns", ""}, object, &arena}));
    ASSERT_TRUE(made) << made.error().message;
    ++created;
    const auto gone = executor_.Run(f_.registry->DeleteObject(call, resource, {"ns", name}, {}));
    ASSERT_TRUE(gone) << gone.error().message;
  }

  Fixture& f_;
  std::shared_mutex& writing_;
  size_t next_;
  api::RequestContext request_;
  LoopExecutor executor_;
  std::vector<std::string> warnings_;
  ResourceRef held_, watched_, list_of_;
  std::unique_ptr<store::Watcher> watcher_;
  std::optional<ListView> list_;
};

TEST(ResourceChurn, AThousandComeAndGoUnderLoad) {
  Fixture f;
  const Resource like = *f.configmaps;
  std::atomic<bool> stop{false};
  std::atomic<size_t> created{0};
  // Follows the table as discovery does: what it makes of the differences is what the table is.
  std::vector<std::string> followed;
  auto subscription = f.table.Subscribe([&](const ResourceTableRef& before, const ResourceTableRef& after) {
    if (before == nullptr) return;
    ResourceTable::ForEachDifference(*before, *after, [&](const ResourceRef& was, const ResourceRef& is) {
      if (was != nullptr && is == nullptr) std::erase(followed, was->plural);
      if (is != nullptr && was == nullptr) followed.push_back(is->plural);
    });
  });
  std::shared_mutex writing;
  const auto compact = [&] {
    std::lock_guard nobody_writes(writing);
    f.store->Compact(f.store->revision());
  };
  std::vector<std::thread> users;
  for (size_t i = 0; i < 3; ++i) {
    users.emplace_back([&, i] {
      User user(f, writing, i + 1);
      while (!stop.load(std::memory_order_acquire)) user.Round();
      created += user.created;
    });
  }
  const size_t before = f.table.Snapshot()->size();
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<ResourceRef> made;
    for (size_t number = 0; number < kResources; ++number) {
      made.push_back(MakeThing(*f.store, like, number));
      f.table.Publish({.remove = {}, .put = {made.back()}});
      // Some are replaced at once, as a changed definition does it.
      if (number % 10 == 0) f.table.Publish({.remove = {}, .put = {std::make_shared<Resource>(*made.back())}});
    }
    EXPECT_EQ(f.table.Snapshot()->size(), before + kResources);
    EXPECT_EQ(followed.size(), kResources);
    EXPECT_EQ(f.table.Snapshot()->All().size(), before + kResources);
    for (const ResourceRef& resource : made) {
      f.table.Publish({.remove = {NameOf(*resource)}, .put = {}});
    }
    EXPECT_EQ(f.table.Snapshot()->size(), before);
    EXPECT_TRUE(followed.empty());
    made.clear();
    compact();
  }
  stop.store(true, std::memory_order_release);
  for (std::thread& user : users) user.join();
  EXPECT_GT(created.load(), 0u);
  // Nobody holds them any more: their collections go, and ids are given again.
  f.store->Compact(f.store->revision());
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"last"}})"));
  f.store->Compact(f.store->revision());
  std::vector<store::CollectionRef> collections;
  for (size_t i = 0; i < kResources; ++i) {
    collections.push_back(f.store->Collection(base::Cat("new/", i)).value());
    EXPECT_LT(static_cast<uint32_t>(collections.back().id()), 2 * kResources + 100);
  }
}

}  // namespace
}  // namespace registry
