// What was changed of the roles that every server begins with, and what the next start makes of it.
#include "server/bootstrap_roles.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

#include "base/random.h"
#include "base/text.h"
#include "resources/builtin.h"
#include "store/memory_store.h"

namespace server {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

// An object as it is recorded: stored, but for what differs from start to start.
std::string Recorded(std::string_view kind, std::string_view members, std::string_view metadata = "") {
  return base::Cat(R"({"kind":")", kind, R"(","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"n",)",
                   R"("uid":"","resourceVersion":"","creationTimestamp":"","labels":{"l":"m"},)",
                   R"("annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"})", metadata,
                   R"(,"managedFields":[{"manager":"m","operation":"Update",)",
                   R"("apiVersion":"rbac.authorization.k8s.io/v1","time":"","fieldsType":"FieldsV1",)",
                   R"("fieldsV1":{"f:rules":{}}}]},)", members, "}");
}

class BootstrapRolesTest : public ::testing::Test {
 protected:
  // What is stored once a server began with `before`, and another one with `now`.
  std::string After(std::string_view kind, const std::string& before, const std::string& now) {
    const auto store = store::OpenMemoryStore();
    const registry::ResourceTableRef held =
        resources::MakeBuiltinTable(resources::ApiResourceConfig(), store.get()).value();
    const registry::ResourceTable& table = *held;
    const registry::BootstrapObject first{kGroup, "v1", kind, before}, second{kGroup, "v1", kind, now};
    EXPECT_TRUE(registry::PutMissing(*store, table, std::span(&first, 1), base::SystemClock(), base::SystemRandom()));
    const store::Revision revision = store->revision();
    EXPECT_TRUE(ReconcileBootstrapRoles(*store, table, std::span(&second, 1), base::SystemClock()));
    changed_ = store->revision() != revision;
    // Nothing lacks any more.
    const store::Revision mended = store->revision();
    EXPECT_TRUE(ReconcileBootstrapRoles(*store, table, std::span(&second, 1), base::SystemClock()));
    EXPECT_EQ(store->revision(), mended);
    const std::string plural = base::Cat(base::ToLower(kind), "s");
    const store::Snapshot snapshot = store->Latest(table.Find(kGroup, "v1", plural)->storage->id);
    const store::Cell* cell = snapshot.Get("n");
    return cell == nullptr ? "" : std::string(cell->bytes());
  }
  bool changed_ = false;
};

TEST_F(BootstrapRolesTest, GetBackWhatTheyLack) {
  const std::string wanted =
      Recorded("ClusterRole", R"("rules":[{"verbs":["get","list"],"apiGroups":[""],"resources":["a","b"]},)"
                              R"({"verbs":["get"],"nonResourceURLs":["/u"]}])");
  EXPECT_EQ(After("ClusterRole", wanted, wanted).contains("kube-apiserver"), false);
  EXPECT_FALSE(changed_);
  const std::string less = Recorded("ClusterRole", R"("rules":[{"verbs":["*"],"apiGroups":[""],"resources":["a"]},)"
                                                   R"({"verbs":["get"],"apiGroups":[""],"resources":["b"]}])");
  const std::string mended = After("ClusterRole", less, wanted);
  EXPECT_TRUE(changed_);
  EXPECT_TRUE(mended.contains(R"("rules":[{"verbs":["*"],"apiGroups":[""],"resources":["a"]},)"
                              R"({"verbs":["get"],"apiGroups":[""],"resources":["b"]},)"
                              R"({"verbs":["list"],"apiGroups":[""],"resources":["b"]},)"
                              R"({"verbs":["get"],"nonResourceURLs":["/u"]}])"))
      << mended;
  EXPECT_TRUE(mended.contains(R"("managedFields":[{"manager":"kube-apiserver","operation":"Update")")) << mended;
}

TEST_F(BootstrapRolesTest, KeepWhatTheyHaveMore) {
  const std::string more = Recorded("ClusterRole", R"("rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}])",
                                    R"(,"finalizers":["a/b"])");
  const std::string wanted =
      Recorded("ClusterRole", R"("rules":[{"verbs":["get"],"apiGroups":[""],"resources":["a"]}])");
  After("ClusterRole", more, wanted);
  EXPECT_FALSE(changed_);
}

TEST_F(BootstrapRolesTest, AreLeftAloneByTheirAnnotation) {
  const std::string wanted =
      Recorded("ClusterRole", R"("rules":[{"verbs":["get"],"apiGroups":[""],"resources":["a"]}])");
  std::string less = Recorded("ClusterRole", R"("rules":[])");
  less.replace(less.find(R"("true")"), 6, R"("false")");
  After("ClusterRole", less, wanted);
  EXPECT_FALSE(changed_);
}

TEST_F(BootstrapRolesTest, GetLabelsAndSelectors) {
  std::string bare = Recorded("ClusterRole", R"("rules":[{"verbs":["get"],"apiGroups":[""],"resources":["a"]}])");
  bare.replace(bare.find(R"({"l":"m"})"), 9, R"({"o":"p"})");
  const std::string wanted =
      Recorded("ClusterRole", R"("aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]},"rules":[])");
  const std::string mended = After("ClusterRole", bare, wanted);
  EXPECT_TRUE(mended.contains(R"("labels":{"l":"m","o":"p"})")) << mended;
  EXPECT_TRUE(mended.contains(R"("clusterRoleSelectors":[{"matchLabels":{"a":"b"}}])")) << mended;
  EXPECT_TRUE(mended.contains(R"("resources":["a"])")) << mended;
}

TEST_F(BootstrapRolesTest, BindingsGetBackSubjects) {
  const auto binding = [](std::string_view subject, std::string_view role) {
    return Recorded("ClusterRoleBinding",
                    base::Cat(R"("subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":")", subject,
                              R"("}],"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":")",
                              role, R"("})"));
  };
  const std::string mended = After("ClusterRoleBinding", binding("a", "r"), binding("b", "r"));
  EXPECT_TRUE(mended.contains(R"("name":"a"},{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"b"}])"))
      << mended;
  After("ClusterRoleBinding", binding("a", "other"), binding("b", "r"));
  EXPECT_FALSE(changed_) << "bound to another role";
}

}  // namespace
}  // namespace server
