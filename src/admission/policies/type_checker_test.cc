#include "admission/policies/type_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "registry/registry_fixture.h"
#include "value/json_reader.h"

namespace admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TypeChecker : public ::testing::Test {
 protected:
  // What is told of the expression in a policy about that resource, which lies in the group "".
  std::vector<std::string> Told(const std::string& expression, const std::string& resource = "pods",
                                const std::string& more = "") {
    const std::string text = R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":)"
                             R"([""],"apiVersions":["v1"],"resources":[")" +
                             resource + R"("]}]})" + more + R"(,"validations":[{"expression":")" + expression +
                             R"("}]}})";
    value::Arena arena;
    const auto policy = value::ReadJson(text, arena);
    EXPECT_TRUE(policy) << text;
    std::vector<std::string> told;
    for (const ExpressionWarning& warning : CheckTypes(*policy, *f.table.Snapshot())) {
      EXPECT_EQ(warning.field, "spec.validations[0].expression");
      told.push_back(warning.warning.substr(0, warning.warning.find('\n')));
    }
    return told;
  }
  registry::Fixture f;
};

TEST_F(TypeChecker, KnowsTheFieldsOfBuiltInKinds) {
  EXPECT_THAT(Told("object.spec.containers.all(c, c.image.startsWith('a'))"), IsEmpty());
  EXPECT_THAT(Told("object.spec.nope == 1"), ElementsAre("/v1, Kind=Pod: ERROR: <input>:1:12: undefined field 'nope'"));
  EXPECT_THAT(Told("oldObject.metadata.labels.a == 1"),
              ElementsAre("/v1, Kind=Pod: ERROR: <input>:1:29: found no matching overload for '_==_' applied to "
                          "'(string, int)'"));
  EXPECT_THAT(Told("object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')"), IsEmpty());
  EXPECT_THAT(Told("object.spec.containers.all(c, has(c.resources.limits))"),
              ElementsAre("/v1, Kind=Pod: ERROR: <input>:1:34: undefined field 'limits'"))
      << "amounts are not declared";
  EXPECT_THAT(Told("object.spec.containers.all(c, c.livenessProbe.httpGet.port == 'a')"), IsEmpty());
}

TEST_F(TypeChecker, ChecksNothingWhereItCannotKnowTheKind) {
  for (const char* resource : {"*", "pods/*", "pods/status", "nothing"}) {
    EXPECT_THAT(Told("object.nope", resource), IsEmpty()) << resource;
  }
}

TEST_F(TypeChecker, KnowsParametersAndVariables) {
  const std::string kind = R"(,"paramKind":{"apiVersion":"v1","kind":"ConfigMap"})";
  EXPECT_THAT(Told("params.data.x == 'a'", "pods", kind), IsEmpty());
  EXPECT_THAT(Told("params.nope == 'a'", "pods", kind),
              ElementsAre("/v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'nope'"));
  EXPECT_THAT(Told("params == null", "pods", R"(,"paramKind":{"apiVersion":"x.y/v1","kind":"Z"})"),
              ElementsAre("/v1, Kind=Pod: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')"));
  const std::string variables = R"(,"variables":[{"name":"v","expression":"object.metadata.name"}])";
  EXPECT_THAT(Told("variables.v == 1", "pods", variables),
              ElementsAre("/v1, Kind=Pod: ERROR: <input>:1:13: found no matching overload for '_==_' applied to "
                          "'(string, int)'"));
}

TEST_F(TypeChecker, SaysItOfEachKind) {
  EXPECT_THAT(Told("object.spec.nope == 1", R"(pods","configmaps)"),
              ElementsAre("/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'spec'"));
}

}  // namespace
}  // namespace admission
