#include "controllers/namespace_deleter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/controllers_fixture.h"

namespace controllers {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kNamespace = "other";

// What the condition of that type says.
std::string Condition(const Fixture& f, std::string_view type) {
  const std::string stored = f.Stored(*f.namespaces, kNamespace);
  value::Arena arena;
  const auto object = value::ReadJson(stored, arena);
  if (!object) return "";
  for (const value::Value& condition : object->Get({"status", "conditions"}).items()) {
    if (condition.GetString("type") != type) continue;
    return base::Cat(condition.GetString("status"), " ", condition.GetString("reason"), ": ",
                     condition.GetString("message"));
  }
  return "";
}

std::function<bool()> Gone(const Fixture& f) {
  return [&] { return f.Stored(*f.namespaces, kNamespace).empty(); };
}

TEST(NamespaceDeleter, EmptiesAndEnds) {
  Fixture f;
  for (int i = 0; i < 300; ++i) f.Make(base::Cat("a", i), "", "", kNamespace);
  ASSERT_TRUE(f.Create(*f.deployments, R"({"metadata":{"name":"d"}})", kNamespace));
  ASSERT_TRUE(f.Create(*f.events, R"({"metadata":{"name":"e"}})", kNamespace));
  f.Make("untouched");
  NamespaceDeleter deleter(*f.registry, f.stepped, f.stepped);
  deleter.Start();
  ASSERT_TRUE(f.Delete(*f.namespaces, kNamespace));
  EXPECT_TRUE(f.stepped.RunUntil(Gone(f)));
  f.Stop(deleter);
  for (const registry::Resource* resource : {f.configmaps, f.deployments, f.events}) {
    EXPECT_EQ(f.store->Latest(resource->storage->id).Count("other/"), 0U) << resource->plural;
  }
  EXPECT_FALSE(f.Gone("untouched"));
}

TEST(NamespaceDeleter, GoesOnAfterARestart) {
  Fixture f;
  f.Make("a", "", "", kNamespace);
  ASSERT_TRUE(f.Delete(*f.namespaces, kNamespace));
  NamespaceDeleter deleter(*f.registry, f.stepped, f.stepped);
  f.Run(deleter, Gone(f));
}

TEST(NamespaceDeleter, SaysWhatRemains) {
  Fixture f;
  f.Make("held", "", R"(,"finalizers":["example.com/a"])", kNamespace);
  ASSERT_TRUE(
      f.Create(*f.deployments, R"({"metadata":{"name":"d","finalizers":["example.com/a","b.com/b"]}})", kNamespace));
  NamespaceDeleter deleter(*f.registry, f.stepped, f.stepped);
  deleter.Start();
  ASSERT_TRUE(f.Delete(*f.namespaces, kNamespace));
  EXPECT_TRUE(f.stepped.RunUntil([&] { return Condition(f, "NamespaceFinalizersRemaining").starts_with("True"); }));
  EXPECT_EQ(Condition(f, "NamespaceDeletionDiscoveryFailure"),
            "False ResourcesDiscovered: All resources successfully discovered");
  EXPECT_EQ(Condition(f, "NamespaceDeletionGroupVersionParsingFailure"),
            "False ParsedGroupVersions: All legacy kube types successfully parsed");
  EXPECT_EQ(Condition(f, "NamespaceDeletionContentFailure"),
            "False ContentDeleted: All content successfully deleted, may be waiting on finalization");
  EXPECT_EQ(Condition(f, "NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, "
            "deployments.apps has 1 resource instances");
  EXPECT_EQ(Condition(f, "NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: b.com/b in 1 resource "
            "instances, example.com/a in 2 resource instances");
  const auto let_go = [&](const registry::Resource& resource, std::string_view name) {
    registry::Call call = f.NewCall();
    registry::Registry::Update update;
    update.key = {kNamespace, name};
    update.transform = [](const value::Value* current, const value::Value&,
                          value::Arena& arena) -> api::Result<value::Value> {
      value::Value object = value::DeepCopy(arena, *current);
      object.Get("metadata").Remove("finalizers");
      return object;
    };
    return f.executor.Run(f.registry->UpdateObject(call, resource, std::move(update))).has_value();
  };
  EXPECT_TRUE(let_go(*f.configmaps, "held"));
  EXPECT_TRUE(let_go(*f.deployments, "d"));
  EXPECT_TRUE(f.stepped.RunUntil(Gone(f)));
  f.Stop(deleter);
}

TEST(NamespaceDeleter, SaysWhatCannotBeDeleted) {
  bool refuse = true;
  const registry::FakeAdmission admission([&](const registry::AdmissionRequest& request) -> api::Result<> {
    const bool deletes = request.operation == registry::Operation::kDelete;
    if (refuse && deletes && request.IsFor("", "configmaps")) return api::Fail(api::Internal("not now"));
    return {};
  });
  Fixture f({.admission = &admission, .allocate = {}});
  f.Make("a", "", "", kNamespace);
  NamespaceDeleter deleter(*f.registry, f.stepped, f.stepped);
  deleter.Start();
  ASSERT_TRUE(f.Delete(*f.namespaces, kNamespace));
  const std::string_view type = "NamespaceDeletionContentFailure";
  EXPECT_TRUE(f.stepped.RunUntil([&] { return Condition(f, type).starts_with("True"); }));
  EXPECT_EQ(Condition(f, type),
            "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: Internal error occurred: "
            "not now");
  refuse = false;
  EXPECT_TRUE(f.stepped.RunUntil(Gone(f)));
  f.Stop(deleter);
}

TEST(NamespaceDeleter, BearsPodsThatMayTakeForever) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.pods,
                       R"({"metadata":{"name":"p"},"spec":{"terminationGracePeriodSeconds":9223372036854775807}})",
                       kNamespace));
  NamespaceDeleter deleter(*f.registry, f.stepped, f.stepped);
  deleter.Start();
  ASSERT_TRUE(f.Delete(*f.namespaces, kNamespace));
  f.stepped.RunFor(std::chrono::seconds(5));
  EXPECT_THAT(Condition(f, "NamespaceDeletionContentFailure"), HasSubstr("False ContentDeleted"));
}

TEST(NamespaceDeleter, WaitsForPodsAsLongAsTheyMayTake) {
  Fixture f;
  ASSERT_TRUE(
      f.Create(*f.pods, R"({"metadata":{"name":"p"},"spec":{"terminationGracePeriodSeconds":30}})", kNamespace));
  NamespaceDeleter deleter(*f.registry, f.stepped, f.stepped);
  deleter.Start();
  ASSERT_TRUE(f.Delete(*f.namespaces, kNamespace));
  f.stepped.RunFor(std::chrono::seconds(5));
  EXPECT_THAT(f.Stored(*f.pods, "other/p"), HasSubstr(R"("deletionGracePeriodSeconds":30)"));
  EXPECT_TRUE(f.stepped.RunUntil([&] {
    return Condition(f, "NamespaceContentRemaining") ==
           "True SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances";
  }));
  EXPECT_THAT(Condition(f, "NamespaceDeletionContentFailure"), HasSubstr("False ContentDeleted"));
  f.stepped.RunFor(std::chrono::seconds(60));
  // The status is written by the store's thread, which may be behind the stepped clock.
  EXPECT_TRUE(f.stepped.RunUntil([&] {
    return Condition(f, "NamespaceDeletionContentFailure") ==
           "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still "
           "remain in namespace: other for gvr: /v1, Resource=pods";
  }));
  f.Stop(deleter);
}

TEST(NamespaceDeleter, KeepsOtherFinalizers) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.namespaces,
                       R"({"metadata":{"name":"n"},"spec":{"finalizers":["b.com/b","kubernetes","a.com/a"]}})", ""));
  NamespaceDeleter deleter(*f.registry, f.stepped, f.stepped);
  ASSERT_TRUE(f.Delete(*f.namespaces, "n"));
  const std::string_view left = R"("spec":{"finalizers":["a.com/a","b.com/b"]})";
  f.Run(deleter, [&] { return f.Stored(*f.namespaces, "n").contains(left); });
}

}  // namespace
}  // namespace controllers
