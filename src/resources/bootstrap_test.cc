#include "resources/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "base/text.h"
#include "registry/json_scan.h"
#include "resources/builtin.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "store/memory_store.h"
#include "value/json_reader.h"

namespace resources {
namespace {

class BootstrapTest : public ::testing::Test {
 protected:
  BootstrapTest()
      : store_(store::OpenMemoryStore()),
        held_(MakeBuiltinTable(ApiResourceConfig(), store_.get()).value()),
        table_(*held_),
        place_({.advertise_address = "192.0.2.2", .hostname = "h"}, base::SystemClock(), base::SystemRandom()) {}

  void Put(const std::set<std::string_view>& gates = {}) {
    const auto is_on = [&](std::string_view gate) { return gates.contains(gate); };
    const std::vector<registry::BootstrapObject> recorded = ObjectsFor(table_, is_on);
    for (auto objects : {std::span<const registry::BootstrapObject>(recorded), place_.objects()}) {
      ASSERT_TRUE(registry::PutMissing(*store_, table_, objects, base::SystemClock(), base::SystemRandom()));
    }
  }
  size_t Count(std::string_view group, std::string_view plural) {
    return store_->Latest(table_.Find(group, "v1", plural)->storage->id).Count();
  }

  std::unique_ptr<store::Store> store_;
  const registry::ResourceTableRef held_;
  const registry::ResourceTable& table_;
  PlaceObjects place_;
};

TEST_F(BootstrapTest, PutsEveryObjectOnce) {
  Put();
  EXPECT_EQ(Count("", "namespaces"), 4u);
  EXPECT_EQ(Count("", "services"), 1u);
  EXPECT_EQ(Count("", "endpoints"), 1u);
  EXPECT_EQ(Count("discovery.k8s.io", "endpointslices"), 1u);
  EXPECT_EQ(Count("rbac.authorization.k8s.io", "clusterroles"), 64u);
  EXPECT_EQ(Count("flowcontrol.apiserver.k8s.io", "flowschemas"), 13u);
  EXPECT_EQ(Count("apiregistration.k8s.io", "apiservices"), 20u) << "those of other versions are not served";
  const store::Revision after = store_->revision();
  Put();
  EXPECT_EQ(store_->revision(), after);
}

TEST_F(BootstrapTest, FollowsGates) {
  Put({"ClusterTrustBundle", "ComponentStatusz", "StorageVersionAPI", "SELinuxChangePolicy"});
  EXPECT_EQ(Count("rbac.authorization.k8s.io", "clusterroles"), 67u);
  const registry::Storage& roles = *table_.Find("rbac.authorization.k8s.io", "v1", "clusterroles")->storage;
  const auto stored = [&](std::string_view name) -> std::string {
    const store::Snapshot snapshot = store_->Latest(roles.id);
    const store::Cell* cell = snapshot.Get(name);
    return cell == nullptr ? "" : std::string(cell->bytes());
  };
  EXPECT_NE(stored("system:cluster-trust-bundle-discovery"), "");
  EXPECT_NE(stored("system:controller:selinux-warning-controller"), "");
  EXPECT_EQ(stored("system:controller:storage-version-garbage-collector"), "") << "needs APIServerIdentity too";
  EXPECT_TRUE(stored("system:monitoring").contains("/statusz"));
  EXPECT_FALSE(stored("system:monitoring").contains("/flagz"));
  EXPECT_TRUE(stored("system:node").contains("clustertrustbundles"));
  EXPECT_FALSE(stored("system:node").contains("resourceclaims"));
}

TEST_F(BootstrapTest, KeepsToOneFormOfAnObject) {
  for (uint32_t set = 0; set < 256; ++set) {
    constexpr std::string_view kGates[] = {"APIServerIdentity", "ClusterTrustBundle",        "ComponentFlagz",
                                           "ComponentStatusz",  "DynamicResourceAllocation", "KubeletFineGrainedAuthz",
                                           "StorageVersionAPI", "MultiCIDRServiceAllocator"};
    const auto is_on = [&](std::string_view gate) {
      const auto* found = std::ranges::find(kGates, gate);
      return found != std::end(kGates) && (set >> (found - kGates) & 1) != 0;
    };
    std::set<std::string> names;
    for (const registry::BootstrapObject& object : ObjectsFor(table_, is_on)) {
      const std::string_view name = registry::FindJson(object.json, "metadata.name");
      const std::string_view space = registry::FindJson(object.json, "metadata.namespace");
      EXPECT_TRUE(names.insert(base::Cat(object.kind, " ", space, "/", name)).second) << name << " " << set;
    }
  }
}

// Without an identity no lease tells of a server.
TEST(PlaceObjects, HaveALeaseByGate) {
  for (bool has_identity : {true, false}) {
    const PlaceObjects place({.advertise_address = "192.0.2.2", .hostname = "h", .has_identity = has_identity},
                             base::SystemClock(), base::SystemRandom());
    const auto is_lease = [](const registry::BootstrapObject& object) { return object.kind == "Lease"; };
    EXPECT_EQ(std::ranges::count_if(place.objects(), is_lease), has_identity ? 1 : 0);
  }
}

// What is put without being decoded must be what this server would write, down to the labels' place.
TEST_F(BootstrapTest, ObjectsAreInStoredForm) {
  Put();
  std::set<const registry::Storage*> seen;
  for (const registry::Resource* resource : table_.All()) {
    if (resource->storage == nullptr || !seen.insert(resource->storage.get()).second) continue;
    const store::Snapshot snapshot = store_->Latest(resource->storage->id);
    auto scan = snapshot.Scan();
    while (const store::Cell* cell = scan.Next()) {
      value::Arena arena;
      auto document = value::ReadJson(cell->bytes(), arena);
      ASSERT_TRUE(document) << cell->bytes();
      schema::Findings findings;
      auto object = schema::Decode(*resource->storage->type, *document, arena, &findings);
      ASSERT_TRUE(object) << cell->bytes();
      EXPECT_TRUE(findings.in_order.empty()) << cell->bytes();
      std::string json;
      schema::Marks marks;
      schema::EncodeJson(*resource->storage->type, *object, json, &marks);
      EXPECT_EQ(json, cell->bytes());
      object->Get("metadata").Remove("resourceVersion");
      json.clear();
      schema::EncodeJson(*resource->storage->type, *object, json, &marks);
      EXPECT_EQ(cell->labels_offset(), marks.labels) << json;
    }
  }
}

}  // namespace
}  // namespace resources
