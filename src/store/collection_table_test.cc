#include "store/collection_table.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/memory/memory_engine.h"
#include "store/store_harness.h"

namespace store {
namespace {

TEST(CollectionTable, GivesOneIdANameAsLongAsItIsHeld) {
  CollectionTable table;
  const CollectionRef pods = table.Hold("pods").value();
  EXPECT_EQ(table.Hold("pods")->id(), pods.id());
  EXPECT_NE(table.Hold("maps")->id(), pods.id());
  EXPECT_EQ(table.Get(pods).name(), "pods");
}

TEST(CollectionTable, LetsGoOfWhatNobodyNeeds) {
  CollectionTable table;
  const CollectionRef pods = table.Hold("pods").value();
  CollectionRef maps = table.Hold("maps").value();
  const CollectionId id = maps;
  EXPECT_EQ(table.Reclaim(), 0u) << "both are held";
  CollectionRef again = maps;
  maps = CollectionRef();
  EXPECT_EQ(table.Reclaim(), 0u) << "a copy holds as well";
  again = CollectionRef();
  EXPECT_EQ(table.Reclaim(), 1u);
  EXPECT_EQ(table.Find(id), nullptr);
  const CollectionRef things = table.Hold("things").value();
  EXPECT_EQ(things.id(), id) << "ids are given again";
  EXPECT_EQ(table.Get(things).name(), "things");
  EXPECT_NE(table.Hold("maps")->id(), id);
}

TEST(CollectionTable, IsBounded) {
  CollectionTable table(nullptr, 2);
  const CollectionRef one = table.Hold("one").value();
  CollectionRef two = table.Hold("two").value();
  const auto refused = table.Hold("three");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kExhausted);
  EXPECT_FALSE(table.Get("three"));
  two = CollectionRef();
  EXPECT_EQ(table.Reclaim(), 1u);
  EXPECT_TRUE(table.Hold("three"));
}

// A collection that nobody holds stays while it has objects, history or watchers.
TEST(CollectionTable, KeepsWhatIsStored) {
  FakeClock clock;
  auto store = Store::Open(engine::MakeMemoryEngine(), {.clock = &clock}).value();
  CollectionRef things = store->Collection("things").value();
  const CollectionRef others = store->Collection("others").value();
  ASSERT_TRUE(Put(*store, things, "a", "x"));
  things = CollectionRef();
  ASSERT_TRUE(Put(*store, others, "a", "x"));
  store->Compact(store->revision());
  things = store->Collection("things").value();
  const CollectionId id = things;
  EXPECT_EQ(store->Latest(things).Count(), 1u) << "its object is there";

  WatchProbe watch(*store,
                   {.collection = things, .prefix = "", .exact_key = false, .index = {}, .after = store->revision()});
  const Snapshot snapshot = store->Latest(things);
  ASSERT_TRUE(Delete(*store, things, "a"));
  things = CollectionRef();
  ASSERT_TRUE(Put(*store, others, "b", "x"));
  EXPECT_EQ(watch.Next(), "DELETED a@4");
  store->Compact(store->revision());
  things = store->Collection("things").value();
  EXPECT_EQ(things.id(), id) << "it is watched";
  EXPECT_EQ(snapshot.Count(), 1u);
}

TEST(CollectionTable, AStoreForgetsWhatIsEmpty) {
  FakeClock clock;
  auto store = Store::Open(engine::MakeMemoryEngine(), {.clock = &clock}).value();
  const CollectionRef others = store->Collection("others").value();
  CollectionRef things = store->Collection("things").value();
  const CollectionId id = things;
  ASSERT_TRUE(Put(*store, things, "a", "x"));
  ASSERT_TRUE(Delete(*store, things, "a"));
  const Snapshot snapshot = store->Latest(things);
  things = CollectionRef();
  ASSERT_TRUE(Put(*store, others, "a", "x"));
  EXPECT_NE(store->Collection("more")->id(), id) << "its history can still be asked for";
  store->Compact(store->revision());
  const CollectionRef next = store->Collection("next").value();
  EXPECT_LE(static_cast<uint32_t>(next.id()), static_cast<uint32_t>(id) + 1) << "ids do not grow";
  EXPECT_EQ(snapshot.Count(), 0u) << "who holds a snapshot keeps it";
  things = store->Collection("things").value();
  ASSERT_TRUE(Put(*store, things, "b", "x"));
  EXPECT_EQ(store->Latest(things).Count(), 1u);
}

}  // namespace
}  // namespace store
