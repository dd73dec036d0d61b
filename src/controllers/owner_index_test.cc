#include "controllers/owner_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace controllers {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kPlain = R"({"metadata":{"name":"o","uid":"o"}})";
constexpr std::string_view kOwned = R"({"metadata":{"uid":"k","ownerReferences":[{"uid":"o"},{"uid":"p"}]}})";
constexpr std::string_view kBlocking =
    R"({"metadata":{"uid":"k","ownerReferences":[{"uid":"o","blockOwnerDeletion":true}]}})";
constexpr std::string_view kWaiting =
    R"({"metadata":{"uid":"o","deletionTimestamp":"t","finalizers":["foregroundDeletion"]}})";

TEST(OwnerIndex, KeepsOnlyWhatMatters) {
  OwnerIndex index;
  EXPECT_EQ(index.Put(0, "o", ReadFacts(kPlain)).node, nullptr);
  EXPECT_EQ(index.size(), 0U);
  EXPECT_NE(index.Put(0, "k", ReadFacts(kOwned)).node, nullptr);
  EXPECT_NE(index.Put(0, "o", ReadFacts(kWaiting)).node, nullptr);
  EXPECT_EQ(index.size(), 2U);
  EXPECT_EQ(index.Put(0, "o", ReadFacts(kPlain)).node, nullptr);
  EXPECT_EQ(index.size(), 1U);
}

TEST(OwnerIndex, KnowsWhoNamesAnOwner) {
  OwnerIndex index;
  index.Put(0, "k", ReadFacts(kOwned));
  ASSERT_NE(index.FindOwned("o"), nullptr);
  EXPECT_EQ(index.FindOwned("o")->blocking, 0U);
  const OwnerIndex::Changes changes = index.Put(0, "k", ReadFacts(kBlocking));
  EXPECT_TRUE(changes.owners_changed);
  EXPECT_THAT(changes.let_go, ElementsAre("p"));
  EXPECT_EQ(index.FindOwned("o")->blocking, 1U);
  EXPECT_EQ(index.FindOwned("p"), nullptr);
  EXPECT_FALSE(index.Put(0, "k", ReadFacts(kBlocking)).owners_changed);
  EXPECT_THAT(index.Remove("k"), ElementsAre("o"));
  EXPECT_EQ(index.FindOwned("o"), nullptr);
}

TEST(OwnerIndex, TellsWhenAnObjectStartsToWait) {
  OwnerIndex index;
  EXPECT_TRUE(index.Put(0, "o", ReadFacts(kWaiting)).starts_waiting);
  EXPECT_FALSE(index.Put(0, "o", ReadFacts(kWaiting)).starts_waiting);
}

TEST(OwnerIndex, TellsWhatDoesNotBlockAnyMore) {
  OwnerIndex index;
  index.Put(0, "k", ReadFacts(kBlocking));
  EXPECT_THAT(index.Put(0, "k", ReadFacts(kOwned)).let_go, ElementsAre("o"));
}

TEST(ObjectFacts, ReadsMetadata) {
  const ObjectFacts facts = ReadFacts(
      R"({"kind":"X","metadata":{"name":"n","uid":"u","resourceVersion":"7","finalizers":["a/b","orphan"],)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o\"p","uid":"v","blockOwnerDeletion":true}]}})");
  EXPECT_EQ(facts.uid, "u");
  EXPECT_EQ(facts.resource_version, "7");
  EXPECT_TRUE(facts.orphan);
  EXPECT_FALSE(facts.foreground || facts.deleting || facts.orphaning_dependents());
  const std::vector<OwnerReference> owners = ReadOwners(facts);
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_EQ(owners[0].name, "o\"p");
  EXPECT_TRUE(owners[0].blocks);
  EXPECT_TRUE(ReadFacts("not JSON").uid.empty());
}

}  // namespace
}  // namespace controllers
