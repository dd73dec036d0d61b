#include "registry/expiry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "registry/registry_fixture.h"

namespace registry {
namespace {

// A clock that goes on when it is told to, for both of its times.
class SteppedClock : public base::Clock {
 public:
  std::chrono::system_clock::time_point Now() const override { return FixedClock().Now() + ahead; }
  std::chrono::steady_clock::time_point Monotonic() const override {
    return std::chrono::steady_clock::time_point() + ahead;
  }
  std::chrono::seconds ahead{0};
};

class ExpiryTest : public testing::Test {
 protected:
  void Put(const std::string& name) {
    const auto put = fixture_.Create(*fixture_.events, R"({"metadata":{"name":")" + name + R"("}})");
    ASSERT_TRUE(put.has_value()) << put.error().message;
  }
  std::string Names() {
    std::string names;
    const store::Snapshot snapshot = fixture_.store->Latest(fixture_.events->storage->id);
    store::Scan scan = snapshot.Scan();
    while (const store::Cell* cell = scan.Next()) names += std::string(cell->key()) + " ";
    return names;
  }

  Fixture fixture_;
  SteppedClock clock_;
  Expiry expiry_{*fixture_.store, fixture_.events->storage->id, std::chrono::hours(1), clock_};
};

TEST_F(ExpiryTest, WhatIsWrittenGoesAfterItsTime) {
  expiry_.Round();
  Put("a");
  expiry_.Round();
  clock_.ahead = std::chrono::minutes(30);
  Put("b");
  expiry_.Round();
  clock_.ahead = std::chrono::minutes(59);
  expiry_.Round();
  EXPECT_EQ(Names(), "ns/a ns/b ");
  clock_.ahead = std::chrono::minutes(60);
  expiry_.Round();
  EXPECT_EQ(Names(), "ns/b ");
  clock_.ahead = std::chrono::minutes(90);
  expiry_.Round();
  EXPECT_EQ(Names(), "");
}

TEST_F(ExpiryTest, AnotherWriteGivesMoreTime) {
  expiry_.Round();
  Put("a");
  expiry_.Round();
  clock_.ahead = std::chrono::minutes(30);
  ASSERT_TRUE(fixture_.Put(*fixture_.events, "a", R"({"metadata":{"name":"a"},"reason":"again"})").has_value());
  expiry_.Round();
  clock_.ahead = std::chrono::minutes(60);
  expiry_.Round();
  EXPECT_EQ(Names(), "ns/a ");
  clock_.ahead = std::chrono::minutes(90);
  expiry_.Round();
  EXPECT_EQ(Names(), "");
}

TEST_F(ExpiryTest, WhatWasThereBeforeGoesByTheTimesItTells) {
  Put("a");  // created at the fixture's time, which is the clock's beginning
  clock_.ahead = std::chrono::minutes(59);
  expiry_.Round();
  EXPECT_EQ(Names(), "ns/a ");
  clock_.ahead = std::chrono::minutes(60);
  expiry_.Round();
  EXPECT_EQ(Names(), "");
}

TEST_F(ExpiryTest, WatchersSeeTheEnd) {
  Put("a");
  std::atomic<int> woken{0};
  auto watcher = fixture_.store->Watch(
      {.collection = fixture_.events->storage->id, .after = fixture_.store->revision()}, [&] { ++woken; });
  ASSERT_TRUE(watcher.has_value());
  clock_.ahead = std::chrono::hours(1);
  expiry_.Round();
  auto event = (*watcher)->Next();
  ASSERT_TRUE(event.has_value());
  ASSERT_NE(*event, nullptr);
  EXPECT_EQ((*event)->type(), store::EventType::kDeleted);
}

TEST_F(ExpiryTest, ItsThreadEndsWithIt) {
  Put("a");
  Expiry brief(*fixture_.store, fixture_.events->storage->id, std::chrono::milliseconds(1), base::SystemClock());
  brief.Start();
}

}  // namespace
}  // namespace registry
