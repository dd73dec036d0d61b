// Roles and bindings: each rule with an object that breaks it, and one that keeps all.
#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::rbac {
namespace {

struct Case {
  const char *name, *members, *errors;
};

TEST(Roles, New) {
  KindFixture roles("rbac.authorization.k8s.io", "v1", "roles", "Role", true);
  const Case kCases[] = {
      {"nothing", "", ""},
      {"whole", R"("rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])", ""},
      {"empty rule", R"("rules":[{}])",
       "rules[0].verbs: Required value: verbs must contain at least one value\n"
       "rules[0].apiGroups: Required value: resource rules must supply at least one api group\n"
       "rules[0].resources: Required value: resource rules must supply at least one resource"},
      {"paths", R"("rules":[{"verbs":["get"],"apiGroups":[""],"nonResourceURLs":["/a"]}])",
       "rules[0].nonResourceURLs: Invalid value: []string{\"/a\"}: namespaced rules cannot apply to non-resource URLs\n"
       "rules[0].nonResourceURLs: Invalid value: []string{\"/a\"}: rules cannot apply to both regular resources and "
       "non-resource URLs"},
  };
  for (const Case& c : kCases) EXPECT_EQ(roles.Create(c.members), c.errors) << c.name;
  const std::string twice = roles.Update("", R"("rules":[{"verbs":["get"],"apiGroups":["a"]}])");
  EXPECT_EQ(twice,
            "rules[0].resources: Required value: resource rules must supply at least one resource\n"
            "rules[0].resources: Required value: resource rules must supply at least one resource");
}

TEST(ClusterRoles, New) {
  KindFixture roles("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false);
  const Case kCases[] = {
      {"paths", R"("rules":[{"verbs":["get"],"nonResourceURLs":["/a"]}])", ""},
      {"no selector", R"("aggregationRule":{})",
       "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if "
       "aggregationRule is non-nil"},
      {"bad operator",
       R"("aggregationRule":{"clusterRoleSelectors":[{"matchExpressions":[{"key":"a","operator":"x"}]}]})",
       "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: \"x\": not a valid "
       "selector "
       "operator\naggregationRule.clusterRoleSelectors[0]: Invalid value: \"null\": invalid label selector."},
  };
  for (const Case& c : kCases) EXPECT_EQ(roles.Create(c.members), c.errors) << c.name;
}

TEST(RoleBindings, New) {
  KindFixture bindings("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", true);
  const Case kCases[] = {
      {"whole", R"("roleRef":{"kind":"Role","name":"a"},"subjects":[{"kind":"User","name":"u"},
                   {"kind":"ServiceAccount","name":"s"}])",
       ""},
      {"nothing", "",
       "roleRef.kind: Unsupported value: \"\": supported values: \"Role\", \"ClusterRole\"\nroleRef.name: Required "
       "value"},
      {"bad role", R"("roleRef":{"apiGroup":"x","kind":"Role","name":"a/b"})",
       "roleRef.apiGroup: Unsupported value: \"x\": supported values: \"rbac.authorization.k8s.io\"\n"
       "roleRef.name: Invalid value: \"a/b\": may not contain '/'"},
      {"bad subjects", R"("roleRef":{"kind":"Role","name":"a"},"subjects":[{"kind":"x"},
                          {"kind":"ServiceAccount","name":"s","apiGroup":"g"},{"kind":"Group","name":"g","apiGroup":"h"}])",
       "subjects[0].name: Required value\n"
       "subjects[0].kind: Unsupported value: \"x\": supported values: \"ServiceAccount\", \"User\", \"Group\"\n"
       "subjects[1].apiGroup: Unsupported value: \"g\": supported values: \"\"\n"
       "subjects[2].apiGroup: Unsupported value: \"h\": supported values: \"rbac.authorization.k8s.io\""},
  };
  for (const Case& c : kCases) EXPECT_EQ(bindings.Create(c.members), c.errors) << c.name;
  EXPECT_EQ(bindings.Update(R"("roleRef":{"kind":"Role","name":"a"})", R"("roleRef":{"kind":"Role","name":"b"})"),
            "roleRef: Invalid value: "
            "rbac.RoleRef{\"kind\":\"Role\",\"name\":\"b\",\"apiGroup\":\"rbac.authorization.k8s.io\"}: "
            "cannot change roleRef");
}

TEST(ClusterRoleBindings, SubjectsHaveTheirNamespace) {
  KindFixture bindings("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", false);
  EXPECT_EQ(
      bindings.Create(R"("roleRef":{"kind":"Role","name":"a"},"subjects":[{"kind":"ServiceAccount","name":"s"}])"),
      "roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"\n"
      "subjects[0].namespace: Required value");
}

}  // namespace
}  // namespace resources::rbac
