// Resource quotas and limit ranges: each rule with an object that breaks it, and one that keeps all.
#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::core {
namespace {

struct Case {
  const char *name, *spec, *errors;
};

TEST(ResourceQuotas, New) {
  KindFixture quotas("", "v1", "resourcequotas", "ResourceQuota", true);
  const Case kCases[] = {
      {"whole", R"("hard":{"pods":"1","cpu":"2"},"scopes":["NotTerminating"])", ""},
      {"names", R"("hard":{"foo":"1","storage":"1"})",
       "spec.hard[foo]: Invalid value: foo: must be a standard resource type or fully qualified\n"
       "spec.hard[foo]: Invalid value: foo: must be a standard resource for quota\n"
       "spec.hard[storage]: Invalid value: storage: must be a standard resource for quota"},
      {"scopes", R"("hard":{"cpu":"1"},"scopes":["x","BestEffort","NotBestEffort"])",
       "spec.scopes: Invalid value: []core.ResourceQuotaScope{\"x\", \"BestEffort\", \"NotBestEffort\"}: unsupported "
       "scope\n"
       "spec.scopes: Invalid value: []core.ResourceQuotaScope{\"x\", \"BestEffort\", \"NotBestEffort\"}: unsupported "
       "scope applied to resource\nspec.scopes: Invalid value: []core.ResourceQuotaScope{\"x\", \"BestEffort\", "
       "\"NotBestEffort\"}: conflicting scopes"},
      {"selector", R"("scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In"}]})",
       "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' "
       "or "
       "'NotIn' for scope selector"},
  };
  for (const Case& c : kCases) EXPECT_EQ(quotas.Create(base::Cat("\"spec\":{", c.spec, "}")), c.errors) << c.name;
  EXPECT_EQ(quotas.Update(R"("spec":{"scopes":["Terminating"]})", R"("spec":{"scopes":["Terminating","Terminating"]})"),
            "");
  EXPECT_EQ(quotas.Update(R"("spec":{"scopes":["Terminating"]})", ""),
            "spec.scopes: Invalid value: []core.ResourceQuotaScope(nil): field is immutable");
}

TEST(LimitRanges, New) {
  KindFixture ranges("", "v1", "limitranges", "LimitRange", true);
  const Case kCases[] = {
      {"whole", R"("type":"Container","min":{"cpu":"1"},"max":{"cpu":"2"})", ""},
      {"type", R"("type":"x")",
       "spec.limits[0].type: Invalid value: \"x\": must be a standard limit type or fully qualified"},
      {"pod", R"("type":"Pod","default":{"cpu":"1"},"max":{"pods":"1"})",
       "spec.limits[0].max[pods]: Invalid value: pods: must be a standard resource for containers\n"
       "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"},
      {"claim", R"("type":"PersistentVolumeClaim")",
       "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was "
       "provided"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(ranges.Create(base::Cat("\"spec\":{\"limits\":[{", c.spec, "}]}")), c.errors) << c.name;
  }
  const std::string errors = ranges.Create(
      R"("spec":{"limits":[{"type":"Pod","min":{"cpu":"3"},"max":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"500m"}}]})");
  for (const char* detail : {"min value 3 is greater than max value 2", "ratio 500m is less than 1"}) {
    EXPECT_TRUE(errors.contains(detail)) << errors;
  }
}

}  // namespace
}  // namespace resources::core
