#include "auth/rbac.h"

#include <gtest/gtest.h>

#include <string>

#include "value/json_reader.h"

namespace auth {
namespace {

using Kind = RbacObjects::Kind;

class RbacTest : public testing::Test {
 protected:
  void Set(Kind kind, std::string_view json) { objects_.Set(kind, value::ReadJson(json, arena_).value()); }
  bool Allows(std::string_view user, std::string_view verb, std::string_view resource, std::string_view name = "") {
    const api::User who{.name = std::string(user)};
    return Rbac(objects_.Build())
        .Authorize({.user = who, .verb = verb, .namespace_name = "ns", .resource = resource, .name = name}, false)
        .allowed();
  }
  value::Arena arena_;
  RbacObjects objects_;
};

TEST_F(RbacTest, FollowsItsObjects) {
  Set(Kind::kRoleBinding, R"({"metadata":{"name":"b","namespace":"ns"},"roleRef":{"kind":"Role","name":"r"},
    "subjects":[{"kind":"User","name":"ann"}]})");
  EXPECT_FALSE(Allows("ann", "get", "pods"));
  Set(Kind::kRole, R"({"metadata":{"name":"r","namespace":"ns"},"rules":[
    {"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})");
  EXPECT_TRUE(Allows("ann", "get", "pods"));
  EXPECT_FALSE(Allows("bob", "get", "pods"));
  Set(Kind::kRoleBinding, R"({"metadata":{"name":"b","namespace":"ns"},"roleRef":{"kind":"Role","name":"r"},
    "subjects":[{"kind":"User","name":"bob"}]})");
  EXPECT_FALSE(Allows("ann", "get", "pods"));
  EXPECT_TRUE(Allows("bob", "get", "pods"));
  objects_.Remove(Kind::kRole, "other/r");
  EXPECT_TRUE(Allows("bob", "get", "pods"));
  objects_.Remove(Kind::kRole, "ns/r");
  EXPECT_FALSE(Allows("bob", "get", "pods"));
}

TEST_F(RbacTest, ManyNamesInAnyOrder) {
  std::string names;
  for (int i = 0; i < 100; ++i) names += (i > 0 ? ",\"n" : "\"n") + std::to_string(i * 37 % 100) + "\"";
  Set(Kind::kRoleBinding, R"({"metadata":{"name":"b","namespace":"ns"},"roleRef":{"kind":"Role","name":"r"},
    "subjects":[{"kind":"User","name":"ann"}]})");
  Set(Kind::kRole, R"({"metadata":{"name":"r","namespace":"ns"},"rules":[
    {"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":[)" +
                       names + "]}]}");
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Allows("ann", "get", "pods", "n" + std::to_string(i))) << i;
  for (const char* other : {"", "n", "n100", "n1a", "o"}) EXPECT_FALSE(Allows("ann", "get", "pods", other)) << other;
}

TEST_F(RbacTest, SaysWhy) {
  Set(Kind::kClusterRole, R"({"metadata":{"name":"r"},"rules":[
    {"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})");
  Set(Kind::kRoleBinding, R"({"metadata":{"name":"b","namespace":"ns"},"roleRef":{"kind":"ClusterRole","name":"r"},
    "subjects":[{"kind":"ServiceAccount","name":"sa"}]})");
  const std::shared_ptr<const RbacPolicy> policy = objects_.Build();
  const api::User account{.name = "system:serviceaccount:ns:sa"};
  const Decision decision =
      Rbac(policy).Authorize({.user = account, .verb = "get", .namespace_name = "ns", .resource = "pods"}, true);
  EXPECT_EQ(decision.reason, "RBAC: allowed by RoleBinding \"b/ns\" of ClusterRole \"r\" to ServiceAccount \"sa/ns\"");
}

TEST_F(RbacTest, ListsWhatAUserMayDo) {
  Set(Kind::kClusterRole, R"({"metadata":{"name":"r"},"rules":[{"verbs":["get"],"nonResourceURLs":["/x"]}]})");
  Set(Kind::kRole, R"({"metadata":{"name":"r","namespace":"ns"},"rules":[
    {"verbs":["list"],"apiGroups":[""],"resources":["pods"]}]})");
  for (const char* role : {"r", "gone"}) {
    Set(Kind::kRoleBinding, R"({"metadata":{"name":")" + std::string(role) +
                                R"(","namespace":"ns"},"roleRef":{"kind":"Role","name":")" + role +
                                R"("},"subjects":[{"kind":"User","name":"ann"}]})");
  }
  Set(Kind::kClusterRoleBinding, R"({"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"r"},
    "subjects":[{"kind":"Group","name":"all"}]})");
  const Rbac rbac(objects_.Build());
  const api::User ann{.name = "ann", .groups = {"all"}};
  UserRules in_namespace, elsewhere;
  rbac.CollectRules(ann, "ns", in_namespace);
  rbac.CollectRules(ann, "other", elsewhere);
  ASSERT_EQ(in_namespace.rules.size(), 2u);
  EXPECT_EQ(in_namespace.errors, std::vector<std::string>{"role.rbac.authorization.k8s.io \"gone\" not found"});
  ASSERT_EQ(elsewhere.rules.size(), 1u);
  EXPECT_EQ(elsewhere.rules[0].urls, std::vector<std::string>{"/x"});
  EXPECT_TRUE(elsewhere.errors.empty());
}

// Who may bind and unbind roles can leave thousands of bindings to roles that are gone, or to one large role.
TEST_F(RbacTest, TellsSoMuchOfManyBindings) {
  std::string words = "\"w\"";
  for (int i = 0; i < 2000; ++i) words += ",\"w" + std::to_string(i) + '"';
  Set(Kind::kRole,
      R"({"metadata":{"name":"large","namespace":"ns"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":[)" +
          words + "]}]}");
  for (int i = 0; i < 500; ++i) {
    const std::string n = std::to_string(i);
    for (const std::string& role : {"gone" + n, std::string("large")}) {
      Set(Kind::kRoleBinding, R"({"metadata":{"name":"b-)" + role + "-" + n +
                                  R"(","namespace":"ns"},"roleRef":{"kind":"Role","name":")" + role +
                                  R"("},"subjects":[{"kind":"User","name":"ann"}]})");
    }
  }
  const Rbac rbac(objects_.Build());
  const api::User ann{.name = "ann"};
  const Decision decision =
      rbac.Authorize({.user = ann, .verb = "list", .namespace_name = "ns", .resource = "w"}, false);
  EXPECT_FALSE(decision.allowed());
  EXPECT_LT(decision.reason.size(), 10'000U);
  UserRules rules;
  rbac.CollectRules(ann, "ns", rules);
  EXPECT_LT(rules.rules.size(), 500U);
  EXPECT_EQ(rules.errors.back(), "the user has too many rules to list them");
}

TEST(RbacPolicyBuilder, TakesBindingsBeforeTheirRoles) {
  value::Arena arena;
  const auto tree = [&arena](std::string_view json) { return value::ReadJson(json, arena).value(); };
  RbacPolicy::Builder builder;
  builder.AddClusterRoleBinding(tree(R"({"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"r"},
    "subjects":[{"kind":"Group","name":"g"}]})"));
  builder.AddClusterRole(tree(R"({"metadata":{"name":"r"},"rules":[{"verbs":["get"],"nonResourceURLs":["/x"]}]})"));
  const api::User user{.name = "u", .groups = {"g"}};
  EXPECT_TRUE(Rbac(std::move(builder).Build())
                  .Authorize({.user = user, .verb = "get", .is_resource_request = false, .path = "/x"}, false)
                  .allowed());
}

TEST(PolicyRule, Matches) {
  const api::User user;
  const auto resource = [&](std::string_view verb, std::string_view group, std::string_view name,
                            std::string_view subresource = "", std::string_view object = "") {
    return Attributes{
        .user = user, .verb = verb, .group = group, .resource = name, .subresource = subresource, .name = object};
  };
  const auto url = [&](std::string_view path) {
    return Attributes{.user = user, .verb = "get", .is_resource_request = false, .path = path};
  };
  const PolicyRule any{{"*"}, {"*"}, {"*"}, {}, {"*"}};
  const PolicyRule named{{"get", "list"}, {"", "apps"}, {"pods", "deployments/scale", "*/status"}, {"a"}, {}};
  const PolicyRule urls{{"get"}, {}, {}, {}, {"/healthz", "/api/*"}};
  struct {
    const PolicyRule& rule;
    Attributes attributes;
    bool allows;
  } cases[] = {
      {any, resource("anything", "g", "r", "s", "n"), true},
      {any, url("/"), true},
      {named, resource("get", "", "pods", "", "a"), true},
      {named, resource("get", "", "pods", "", "b"), false},
      {named, resource("list", "", "pods"), false},
      {named, resource("delete", "", "pods", "", "a"), false},
      {named, resource("get", "batch", "pods", "", "a"), false},
      {named, resource("get", "", "pods", "log", "a"), false},
      {named, resource("get", "apps", "deployments", "scale", "a"), true},
      {named, resource("get", "apps", "deployments", "", "a"), false},
      {named, resource("get", "apps", "deployments", "status", "a"), true},
      {named, url("/healthz"), false},
      {urls, url("/healthz"), true},
      {urls, url("/healthz/ping"), false},
      {urls, url("/api/v1"), true},
      {urls, url("/api"), false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(c.rule.Allows(c.attributes), c.allows) << c.attributes.path << c.attributes.resource;
}

}  // namespace
}  // namespace auth
