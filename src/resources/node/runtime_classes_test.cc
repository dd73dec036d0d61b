#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::node {
namespace {

TEST(RuntimeClasses, New) {
  KindFixture classes("node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", false);
  struct {
    const char *name, *members, *errors;
  } cases[] = {
      {"sound",
       R"("handler":"h","overhead":{"podFixed":{"cpu":"1"}},"scheduling":{"tolerations":[{"key":"a"},{"key":"b"}]})",
       ""},
      {"bad overhead", R"("handler":"h","overhead":{"podFixed":{"gpu":"1"}})",
       "overhead.limits[gpu]: Invalid value: gpu: must be a standard resource type or fully qualified\n"
       "overhead.limits[gpu]: Invalid value: gpu: must be a standard resource for containers"},
      {"bad toleration", R"("handler":"h","scheduling":{"tolerations":[{}]})",
       "scheduling.tolerations.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is "
       "empty, which means \"match all values and all keys\""},
      {"same toleration", R"("handler":"h","scheduling":{"tolerations":[{"key":"a"},{"key":"a"}]})",
       "scheduling.tolerations[1]: Duplicate value: {\"key\":\"a\"}"},
  };
  for (const auto& c : cases) EXPECT_EQ(classes.Create(c.members), c.errors) << c.name;
  EXPECT_TRUE(classes.Create("").starts_with("handler: Invalid value: \"\": a lowercase RFC 1123 label must"));
  EXPECT_EQ(classes.Update(R"("handler":"h")", R"("handler":"i")"),
            "handler: Invalid value: \"i\": field is immutable");
  EXPECT_TRUE(classes.Update(R"("handler":"h")", "").ends_with("handler: Invalid value: \"\": field is immutable"));
  const std::string mixed = classes.Update(R"("handler":"h")", R"("handler":"A")", "", "", R"("labels":{"a":"-"})");
  EXPECT_GT(mixed.rfind("metadata.labels"), mixed.find("handler")) << mixed;
}

TEST(RuntimeClasses, KeepFinalizersOfAnyNameAndFineAmounts) {
  KindFixture classes("node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", false);
  EXPECT_EQ(classes.Create(R"("handler":"h","overhead":{"podFixed":{"cpu":"1n"}})", R"("finalizers":["a"])"), "");
  EXPECT_TRUE(classes.object().contains("1n")) << classes.object();
}

TEST(RuntimeClasses, WarnOfDeprecatedLabels) {
  KindFixture classes("node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", false);
  classes.Create(R"("handler":"h","scheduling":{"nodeSelector":{"beta.kubernetes.io/os":"linux","a":"b"}})");
  EXPECT_EQ(classes.warnings(), R"(scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead)");
}

}  // namespace
}  // namespace resources::node
