#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::policy {
namespace {

struct Case {
  std::string_view members, error;
};

TEST(PodDisruptionBudgets, AreCreatedAndUpdated) {
  KindFixture kind("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true);
  const Case cases[] = {
      {R"("minAvailable":1,"selector":{})", ""},
      {R"("maxUnavailable":"100%","unhealthyPodEvictionPolicy":"AlwaysAllow")", ""},
      {R"("minAvailable":-1)", "spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"},
      {R"("maxUnavailable":"101%")",
       "spec.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:\"101%\"}: must not be greater "
       "than 100%"},
      {R"("minAvailable":1,"maxUnavailable":1)",
       "spec: Invalid value: policy.PodDisruptionBudgetSpec{\"minAvailable\":1,\"maxUnavailable\":1}: minAvailable and "
       "maxUnavailable cannot be both set"},
      {R"("selector":{"matchExpressions":[{"key":"a","operator":"In"}]})",
       "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or "
       "'NotIn'"},
      {R"("unhealthyPodEvictionPolicy":"")",
       "spec.unhealthyPodEvictionPolicy: Unsupported value: \"\": supported values: \"AlwaysAllow\", "
       "\"IfHealthyBudget\""},
  };
  for (const Case& c : cases) EXPECT_EQ(kind.Create(base::Cat("\"spec\":{", c.members, "}")), c.error) << c.members;
  EXPECT_EQ(kind.Update(R"("spec":{})", R"("spec":{"maxUnavailable":2})"), "");
  EXPECT_EQ(kind.Update(R"("spec":{})", R"("spec":{},"status":{"disruptionsAllowed":-1,"conditions":[]})", "status"),
            "status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0");
}

}  // namespace
}  // namespace resources::policy
