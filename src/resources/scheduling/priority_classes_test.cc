#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::scheduling {
namespace {

TEST(PriorityClasses, New) {
  KindFixture classes("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false);
  struct {
    const char *name, *members, *errors;
  } cases[] = {
      {"highest", R"("value":1000000000)", ""},
      {"higher", R"("value":1000000001)",
       "value: Forbidden: maximum allowed value of a user defined priority is 1000000000"},
      {"no policy", R"("value":1,"preemptionPolicy":"")", "preemptionPolicy: Required value"},
      {"unknown policy", R"("value":1,"preemptionPolicy":"x")",
       R"(preemptionPolicy: Unsupported value: "x": supported values: "PreemptLowerPriority", "Never")"},
  };
  for (const auto& c : cases) EXPECT_EQ(classes.Create(c.members), c.errors) << c.name;
}

TEST(PriorityClasses, NamesOfTheSystem) {
  KindFixture classes("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false);
  constexpr std::string_view kReserved =
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: ";
  constexpr std::string_view kName = R"("name":"system-node-critical")";
  EXPECT_EQ(classes.Create(R"("value":2000001000)", kName), "");
  EXPECT_EQ(classes.Create(R"("value":1)", kName),
            base::Cat(kReserved, "value of system-node-critical PriorityClass must be 2000001000"));
  EXPECT_EQ(classes.Create(R"("value":2000001000,"globalDefault":true)", kName),
            base::Cat(kReserved, "globalDefault of system-node-critical PriorityClass must be false"));
  EXPECT_EQ(classes.Create(R"("value":1)", R"("name":"system-x")"),
            base::Cat(kReserved, "system-x is not a known system priority class"));
}

TEST(PriorityClasses, Change) {
  KindFixture classes("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false);
  EXPECT_EQ(classes.Update(R"("value":1)", R"("value":1,"globalDefault":true)"), "");
  EXPECT_EQ(classes.Update(R"("value":1)", R"("value":2,"preemptionPolicy":"Never")"),
            "value: Forbidden: may not be changed in an update.\n"
            "preemptionPolicy: Invalid value: \"Never\": field is immutable");
}

}  // namespace
}  // namespace resources::scheduling
