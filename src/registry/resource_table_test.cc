#include "registry/resource_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"

namespace registry {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

ResourceRef Make(std::string group, std::string version, std::string plural, uint32_t place = Resource::kLastPlace) {
  auto resource = std::make_shared<Resource>();
  resource->group = std::move(group);
  resource->version = std::move(version);
  resource->plural = std::move(plural);
  resource->place = place;
  return resource;
}

std::string NameOf(const Resource& resource) { return base::Cat(resource.group_version(), "/", resource.plural); }

std::vector<std::string> Names(const ResourceTable& table) {
  std::vector<std::string> names;
  for (const Resource* resource : table.All()) names.push_back(NameOf(*resource));
  return names;
}

TEST(ResourceTable, FindsByName) {
  const ResourceTableRef table = ResourceTable::Make({Make("", "v1", "pods"), Make("g", "v1", "things")});
  EXPECT_EQ(table->Find("", "v1", "pods")->plural, "pods");
  EXPECT_EQ(table->Find("g", "v1", "things"), table->FindEntry("g", "v1", "things").get());
  EXPECT_EQ(table->Find("g", "v2", "things"), nullptr);
  EXPECT_EQ(table->Find("", "v1", "things"), nullptr);
  EXPECT_TRUE(table->HasGroup("g"));
  EXPECT_FALSE(table->HasGroup("h"));
  EXPECT_TRUE(table->HasVersion("g", "v1"));
  EXPECT_FALSE(table->HasVersion("g", "v2"));
  EXPECT_FALSE(table->HasVersion("g", "")) << "no version, though the group is there";
}

TEST(ResourceTable, StandsInDiscoveryOrder) {
  const ResourceTableRef table = ResourceTable::Make(
      {Make("b.io", "v1beta1", "a"), Make("b.io", "v1", "b"), Make("b.io", "v1", "a"), Make("b.io", "v2", "a"),
       Make("a.io", "v1", "z"), Make("apps", "v1", "deployments", 1), Make("", "v1", "pods", 0)});
  EXPECT_THAT(Names(*table), ElementsAre("v1/pods", "apps/v1/deployments", "a.io/v1/z", "b.io/v2/a", "b.io/v1/a",
                                         "b.io/v1/b", "b.io/v1beta1/a"));
}

TEST(ResourceTable, KeepsGroupsAsLongAsTheyHaveSomething) {
  ResourceTables tables(ResourceTable::Make({Make("g", "v1", "a"), Make("g", "v1", "b"), Make("g", "v2", "a")}));
  const ResourceTableRef first = tables.Snapshot();
  tables.Publish({.remove = {{"g", "v1", "a"}, {"g", "v1", "nothing"}}, .put = {}});
  EXPECT_TRUE(tables.Snapshot()->HasVersion("g", "v1"));
  tables.Publish({.remove = {{"g", "v1", "b"}}, .put = {Make("g", "v2", "a")}});
  EXPECT_FALSE(tables.Snapshot()->HasVersion("g", "v1"));
  EXPECT_EQ(tables.Snapshot()->size(), 1u) << "what is put again counts once";
  tables.Publish({.remove = {{"g", "v2", "a"}}, .put = {}});
  EXPECT_FALSE(tables.Snapshot()->HasGroup("g"));
  EXPECT_TRUE(first->HasVersion("g", "v1")) << "a table does not change";
  EXPECT_EQ(first->size(), 3u);
}

TEST(ResourceTables, TellOfChangesInOrderBeforeTheyReturn) {
  ResourceTables tables(ResourceTable::Make({Make("g", "v1", "a")}));
  std::vector<std::string> told;
  const auto tell = [&](std::string who) {
    return [&told, &tables, who](const ResourceTableRef& before, const ResourceTableRef& after) {
      EXPECT_EQ(tables.Snapshot(), after);
      std::string text = base::Cat(who, ":");
      if (before == nullptr) text += " all";
      if (before != nullptr) {
        ResourceTable::ForEachDifference(*before, *after, [&](const ResourceRef& was, const ResourceRef& is) {
          base::Append(text, was == nullptr ? " +" : is == nullptr ? " -" : " ~", (is ? is : was)->plural);
        });
      }
      told.push_back(text);
    };
  };
  auto one = tables.Subscribe(tell("one"));
  auto two = tables.Subscribe(tell("two"));
  EXPECT_THAT(std::exchange(told, {}), ElementsAre("one: all", "two: all"));
  tables.Publish({.remove = {}, .put = {Make("g", "v1", "b")}});
  EXPECT_THAT(std::exchange(told, {}), ElementsAre("one: +b", "two: +b"));
  one = ResourceTables::Subscription();
  tables.Publish({.remove = {{"g", "v1", "a"}}, .put = {Make("g", "v1", "b")}});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], testing::AnyOf("two: -a ~b", "two: ~b -a"));
}

}  // namespace
}  // namespace registry
