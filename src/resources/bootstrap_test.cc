#include "resources/bootstrap.h"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <vector>

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
        table_(EnabledSet(), store_.get()),
        place_({.advertise_address = "192.0.2.2", .hostname = "h"}, base::SystemClock(), base::SystemRandom()) {}

  void Put() {
    const std::vector<registry::BootstrapObject> recorded = ObjectsFor(table_);
    for (auto objects : {std::span<const registry::BootstrapObject>(recorded), place_.objects()}) {
      ASSERT_TRUE(registry::PutMissing(*store_, table_, objects, base::SystemClock(), base::SystemRandom()));
    }
  }
  size_t Count(std::string_view group, std::string_view plural) {
    return store_->Latest(table_.Find(group, "v1", plural)->storage->id).Count();
  }

  std::unique_ptr<store::Store> store_;
  BuiltinTable table_;
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

// What is put without being decoded must be what this server would write, down to the labels' place.
TEST_F(BootstrapTest, ObjectsAreInStoredForm) {
  Put();
  std::set<const registry::Storage*> seen;
  for (const registry::Resource* resource : table_.All()) {
    if (resource->storage == nullptr || !seen.insert(resource->storage).second) continue;
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
