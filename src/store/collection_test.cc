#include "store/collection.h"

#include <gtest/gtest.h>

#include <string>

namespace store {
namespace {

class CollectionTest : public testing::Test {
 protected:
  void Put(const std::string& key, int64_t revision) {
    const engine::Version version{.collection = "pods",
                                  .key = key,
                                  .created = Revision(revision),
                                  .modified = Revision(revision),
                                  .value = engine::Value{.bytes = "{}", .revision_offset = 1}};
    ASSERT_TRUE(pods_.Apply(version, edit_));
  }
  size_t CountAt(int64_t revision) {
    const TreeVersion* version = pods_.At(Revision(revision));
    if (version == nullptr) return SIZE_MAX;
    return Snapshot(version, Revision(revision)).Count();
  }

  Collection pods_{"pods"};
  Edit edit_{2};
};

// Readers may ask for a revision as soon as its tree can be read; its events are shown a moment later.
TEST_F(CollectionTest, PastVersionsAreRightBeforeTheirEventsAreShown) {
  Put("a", 2);
  pods_.PublishTree(Revision(2));
  pods_.PublishEvents();
  edit_ = Edit(4);
  Put("b", 3);
  Put("c", 4);
  EXPECT_EQ(CountAt(2), 1u) << "while a batch is being applied";
  pods_.PublishTree(Revision(4));
  EXPECT_EQ(CountAt(2), 1u);
  EXPECT_EQ(CountAt(3), 2u);
  EXPECT_EQ(CountAt(4), 3u);
}

TEST_F(CollectionTest, ReachesAnyVersionFromTheNearestCheckpoint) {
  constexpr int64_t kWrites = 3 * Collection::kCheckpointEvents + 100;
  for (int64_t i = 1; i <= kWrites; ++i) {
    edit_ = Edit(static_cast<uint64_t>(2 * i));
    Put(std::to_string(i), i + 1);
    pods_.PublishTree(Revision(i + 1));
    pods_.PublishEvents();
  }
  for (int64_t revision = 1; revision <= kWrites + 1; revision += 97) {
    EXPECT_EQ(CountAt(revision), static_cast<size_t>(revision - 1));
  }
  pods_.DropHistory(Revision(3000));
  EXPECT_EQ(CountAt(2999), SIZE_MAX);
  EXPECT_EQ(CountAt(3000), 2999u);
}

TEST_F(CollectionTest, CountsWhatItCannotRead) {
  const auto load = [&](std::string_view key, int64_t revision, std::string_view bytes) {
    const engine::Version version{.collection = "pods",
                                  .key = key,
                                  .created = Revision(revision),
                                  .modified = Revision(revision),
                                  .value = engine::Value{.bytes = bytes, .revision_offset = 0}};
    pods_.Load(version, [](std::string_view text) { return !text.contains("bad"); });
  };
  load("a", 2, "bad");
  load("b", 3, "good");
  load("c", 4, "bad");
  load("d", 7, "bad");  // history's
  ASSERT_TRUE(pods_.FinishLoad(Revision(5)));
  EXPECT_EQ(pods_.unreadable(), 3U);
  {
    const Snapshot snapshot(pods_.Latest(), Revision(7));
    EXPECT_FALSE(snapshot.Get("a")->readable());
    EXPECT_TRUE(snapshot.Get("b")->readable());
    EXPECT_FALSE(snapshot.Get("a")->Restamped(Revision(9))->readable());
  }
  Put("a", 8);
  EXPECT_EQ(pods_.unreadable(), 2U);
  for (const char* key : {"c", "d"}) {
    const engine::Version deletion{
        .collection = "pods", .key = key, .created = Revision(4), .modified = Revision(9), .value = {}};
    ASSERT_TRUE(pods_.Apply(deletion, edit_));
  }
  EXPECT_EQ(pods_.unreadable(), 0U);
}

TEST_F(CollectionTest, SaysOnceWhatBecameUnreachable) {
  Put("a", 2);
  Put("b", 3);
  Put("a", 4);
  const engine::Version deletion{
      .collection = "pods", .key = "b", .created = Revision(3), .modified = Revision(5), .value = {}};
  ASSERT_TRUE(pods_.Apply(deletion, edit_));
  Put("c", 6);
  pods_.PublishTree(Revision(6));
  pods_.PublishEvents();
  std::vector<engine::Superseded> superseded;
  pods_.CollectSuperseded(Revision(4), superseded);
  ASSERT_EQ(superseded.size(), 1u);
  EXPECT_EQ(superseded[0].key, "a");
  EXPECT_EQ(superseded[0].modified, Revision(2));
  superseded.clear();
  pods_.CollectSuperseded(Revision(6), superseded);
  ASSERT_EQ(superseded.size(), 2u);
  EXPECT_EQ(superseded[0].modified, Revision(3));
  EXPECT_EQ(superseded[1].modified, Revision(5)) << "and the deletion itself";
}

TEST_F(CollectionTest, RefusesADeletionOfNothing) {
  const engine::Version deletion{
      .collection = "pods", .key = "b", .created = Revision(3), .modified = Revision(5), .value = {}};
  EXPECT_EQ(pods_.Apply(deletion, edit_).error().code, base::Code::kCorrupt);
}

}  // namespace
}  // namespace store
