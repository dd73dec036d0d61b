#include "controllers/garbage_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/controllers_fixture.h"

namespace controllers {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kHeld = R"(,"finalizers":["example.com/hold"])";
constexpr auto kAWhile = std::chrono::seconds(10);

class GarbageCollectorTest : public ::testing::Test {
 protected:
  void Start() {
    collector_.emplace(*f_.registry, f_.stepped, f_.stepped);
    collector_->Start();
  }
  void Stop() {
    if (collector_) f_.Stop(*collector_);
    collector_.reset();
  }
  bool Goes(std::string_view name) {
    return f_.stepped.RunUntil([&] { return f_.Gone(name); });
  }
  bool Stays(std::string_view name) {
    f_.stepped.RunFor(kAWhile);
    return !f_.Gone(name);
  }
  // Lets a held object go.
  void LetGo(std::string_view name) {
    ASSERT_TRUE(f_.Put(*f_.configmaps, name, base::Cat(R"({"metadata":{"name":")", name, "\"}}")));
  }
  void TearDown() override { Stop(); }

  Fixture f_;
  std::optional<GarbageCollector> collector_;
};

TEST_F(GarbageCollectorTest, DependentsFollowTheirOwner) {
  const std::string owner = f_.Make("o");
  const std::string kid = f_.Make("kid", Fixture::Owner("o", owner));
  f_.Make("grandkid", Fixture::Owner("kid", kid));
  Start();
  EXPECT_TRUE(Stays("kid"));
  f_.Remove("o");
  EXPECT_TRUE(Goes("kid"));
  EXPECT_TRUE(Goes("grandkid"));
}

TEST_F(GarbageCollectorTest, JudgesOwnersByWhatIsStored) {
  const std::string owner = f_.Make("o");
  const std::string elsewhere = f_.Make("e", "", "", "other");
  struct Case {
    std::string_view name;
    std::string owner;
    bool stays;
  };
  const Case cases[] = {
      {"solid", Fixture::Owner("o", owner), true},
      {"absent", Fixture::Owner("none", "1"), false},
      {"other-uid", Fixture::Owner("o", "2"), false},
      {"other-name", Fixture::Owner("none", owner), false},
      {"other-namespace", Fixture::Owner("e", elsewhere), false},
      {"unknown-kind", Fixture::Owner("o", owner, false, "Nope"), true},
      {"outside-of-namespaces", Fixture::Owner("none", "3", false, "Namespace"), false},
      {"one-of-two-is-unknown", base::Cat(Fixture::Owner("none", "4"), ",", Fixture::Owner("x", "5", false, "Nope")),
       true},
  };
  Start();
  for (const Case& c : cases) f_.Make(c.name, c.owner);
  f_.stepped.RunFor(kAWhile);
  for (const Case& c : cases) EXPECT_EQ(!f_.Gone(c.name), c.stays) << c.name;
}

TEST_F(GarbageCollectorTest, LeavesAloneWhatCannotBelongIntoANamespace) {
  ASSERT_TRUE(f_.Create(*f_.namespaces,
                        base::Cat(R"({"metadata":{"name":"n","ownerReferences":[)", Fixture::Owner("none", "1"), "]}}"),
                        ""));
  Start();
  f_.stepped.RunFor(kAWhile);
  EXPECT_NE(f_.Stored(*f_.namespaces, "n"), "");
}

TEST_F(GarbageCollectorTest, ASecondOwnerKeepsIt) {
  const std::string one = f_.Make("one"), two = f_.Make("two");
  f_.Make("kid", base::Cat(Fixture::Owner("one", one), ",", Fixture::Owner("two", two)));
  Start();
  f_.Remove("one");
  EXPECT_TRUE(f_.stepped.RunUntil([&] { return !f_.Map("kid").contains(one); }));
  EXPECT_THAT(f_.Map("kid"), HasSubstr(two));
  f_.Remove("two");
  EXPECT_TRUE(Goes("kid"));
}

TEST_F(GarbageCollectorTest, OrphansAreLetGo) {
  const std::string owner = f_.Make("o");
  f_.Make("a", Fixture::Owner("o", owner));
  f_.Make("b", Fixture::Owner("o", owner), kHeld);
  Start();
  f_.Remove("b");
  f_.Remove("o", "Orphan");
  EXPECT_TRUE(Goes("o"));
  EXPECT_THAT(f_.Map("a"), Not(HasSubstr("ownerReferences")));
  EXPECT_THAT(f_.Map("b"), Not(HasSubstr("ownerReferences"))) << "also while it is deleted";
}

TEST_F(GarbageCollectorTest, AnOrphanFinalizerOfADependentCounts) {
  const std::string owner = f_.Make("o");
  const std::string kid = f_.Make("kid", Fixture::Owner("o", owner), R"(,"finalizers":["orphan"])");
  f_.Make("grandkid", Fixture::Owner("kid", kid));
  Start();
  f_.Remove("o");
  EXPECT_TRUE(Goes("kid"));
  EXPECT_THAT(f_.Map("grandkid"), Not(HasSubstr("ownerReferences")));
}

TEST_F(GarbageCollectorTest, ForegroundWaitsForWhatBlocks) {
  const std::string owner = f_.Make("o");
  f_.Make("kid", Fixture::Owner("o", owner, true), kHeld);
  f_.Make("other", Fixture::Owner("o", owner), kHeld);
  Start();
  f_.Remove("o", "Foreground");
  EXPECT_TRUE(f_.stepped.RunUntil([&] { return f_.Map("kid").contains("deletionTimestamp"); }));
  EXPECT_TRUE(Stays("o"));
  LetGo("kid");
  EXPECT_TRUE(Goes("o"));
  EXPECT_THAT(f_.Map("other"), HasSubstr("deletionTimestamp")) << "deleted, but not waited for";
}

TEST_F(GarbageCollectorTest, ForegroundGoesDownTheTree) {
  const std::string owner = f_.Make("o");
  const std::string kid = f_.Make("kid", Fixture::Owner("o", owner, true));
  f_.Make("grandkid", Fixture::Owner("kid", kid, true), kHeld);
  Start();
  f_.Remove("o", "Foreground");
  EXPECT_TRUE(f_.stepped.RunUntil([&] { return f_.Map("grandkid").contains("deletionTimestamp"); }));
  EXPECT_THAT(f_.Map("kid"), HasSubstr("foregroundDeletion"));
  EXPECT_FALSE(f_.Gone("o"));
  LetGo("grandkid");
  EXPECT_TRUE(Goes("o"));
  EXPECT_TRUE(f_.Gone("kid"));
}

TEST_F(GarbageCollectorTest, ForegroundEndsWhereNothingBlocksAnyMore) {
  const std::string owner = f_.Make("o");
  f_.Make("kid", Fixture::Owner("o", owner, true), kHeld);
  Start();
  f_.Remove("o", "Foreground");
  EXPECT_TRUE(Stays("o"));
  ASSERT_TRUE(f_.Put(*f_.configmaps, "kid",
                     base::Cat(R"({"metadata":{"name":"kid","finalizers":["example.com/hold"],"ownerReferences":[)",
                               Fixture::Owner("o", owner), "]}}")));
  EXPECT_TRUE(Goes("o"));
}

TEST_F(GarbageCollectorTest, CyclesAreBroken) {
  const std::string a = f_.Make("a");
  const std::string b = f_.Make("b", Fixture::Owner("a", a, true));
  ASSERT_TRUE(f_.Put(*f_.configmaps, "a",
                     base::Cat(R"({"metadata":{"name":"a","ownerReferences":[)", Fixture::Owner("b", b, true), "]}}")));
  Start();
  f_.Remove("a", "Foreground");
  EXPECT_TRUE(Goes("a"));
  EXPECT_TRUE(Goes("b"));
}

TEST_F(GarbageCollectorTest, GoesOnAfterARestart) {
  const std::string one = f_.Make("one"), two = f_.Make("two"), three = f_.Make("three");
  f_.Make("background", Fixture::Owner("one", one));
  f_.Make("foreground", Fixture::Owner("two", two, true));
  f_.Make("orphan", Fixture::Owner("three", three));
  f_.Remove("one");
  f_.Remove("two", "Foreground");
  f_.Remove("three", "Orphan");
  Start();
  for (std::string_view name : {"background", "foreground", "two", "three"}) EXPECT_TRUE(Goes(name)) << name;
  EXPECT_THAT(f_.Map("orphan"), Not(HasSubstr("ownerReferences")));
}

TEST_F(GarbageCollectorTest, DoesNotWaitWithoutDependents) {
  f_.Make("a");
  f_.Make("b");
  Start();
  f_.Remove("a", "Foreground");
  f_.Remove("b", "Orphan");
  EXPECT_TRUE(Goes("a"));
  EXPECT_TRUE(Goes("b"));
}

TEST(GarbageCollectorFailures, AreTriedAgain) {
  int refused = 0;
  const registry::FakeAdmission admission([&](const registry::AdmissionRequest& request) -> api::Result<> {
    const bool deletes = request.operation == registry::Operation::kDelete;
    if (deletes && request.key.name == "kid" && ++refused < 4) return api::Fail(api::Internal("not now"));
    return {};
  });
  Fixture f({.admission = &admission, .allocate = {}});
  f.Make("kid", Fixture::Owner("none", "1"));
  GarbageCollector collector(*f.registry, f.stepped, f.stepped);
  f.Run(collector, [&] { return f.Gone("kid"); });
  EXPECT_EQ(refused, 4);
}

}  // namespace
}  // namespace controllers
