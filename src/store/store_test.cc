#include "store/store.h"

#include <gtest/gtest.h>

#include <future>

#include "engine/memory/memory_engine.h"

namespace store {
namespace {

TEST(Store, CreatesAndReads) {
  auto opened = Store::Open(engine::MakeMemoryEngine(), {});
  ASSERT_TRUE(opened);
  Store& store = **opened;
  const CollectionId pods = store.Collection("pods");
  std::promise<base::Result<Committed>> promise;
  store.Commit({{.collection = pods, .key = "a/b", .body = Body{.bytes = "{\"rv\":\"\"}", .revision_offset = 7}}},
               [&](base::Result<Committed> result) { promise.set_value(std::move(result)); });
  base::Result<Committed> result = promise.get_future().get();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->revision, Revision(2));
  EXPECT_EQ(result->cells[0]->bytes(), "{\"rv\":\"2\"}");
  EXPECT_EQ(store.Latest(pods).Get("a/b")->bytes(), "{\"rv\":\"2\"}");
  EXPECT_EQ(store.Latest(pods).Count("a/"), 1u);
}

}  // namespace
}  // namespace store
