#include "admission/policies/policy_evaluator.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "value/json_reader.h"

namespace admission {
namespace {

using value::Value;

class AllowsNothing final : public cel::Authorizer {
 public:
  cel::AuthorizerDecision Authorize(const cel::AuthorizerCheck& check) override {
    asked = base::Cat(check.verb, " ", check.resource, " ", check.name);
    return {};
  }
  std::string asked;
};

class PolicyEvaluatorTest : public testing::Test {
 protected:
  Value Read(std::string_view json) { return *value::ReadJson(arena_.CopyString(json), arena_); }

  // The messages, a line each, of a policy with that spec.
  std::string Ask(std::string_view spec, std::string_view object = "{}", std::string_view parameters = "null") {
    const CompiledPolicy policy(Read(base::Cat(R"j({"metadata":{"name":"p"},"spec":)j", spec, "}")), programs_);
    const PolicyInput input{.object = Read(object),
                            .old_object = Value(),
                            .namespace_object = Read(R"j({"metadata":{"name":"ns"}})j"),
                            .request = Read(R"j({"operation":"CREATE","name":"a"})j"),
                            .authorizer = authorizer_,
                            .request_resource = {.is_resource = true, .resource = "pods", .name = "a"}};
    std::string all;
    for (const PolicyComplaint& complaint : EvaluatePolicy(policy, input, Read(parameters))) {
      base::Append(all, all.empty() ? "" : "\n", complaint.message, complaint.enforced_always ? " (always)" : "");
    }
    return all;
  }

  value::Arena arena_;
  cel::ProgramCache programs_;
  AllowsNothing authorizer_;
};

TEST_F(PolicyEvaluatorTest, TellsWhatFails) {
  EXPECT_EQ(Ask(R"j({"validations":[{"expression":"object.n <= 5"}]})j", R"j({"n":5})j"), "");
  EXPECT_EQ(Ask(R"j({"validations":[{"expression":" object.n <= 5 "}]})j", R"j({"n":6})j"),
            "failed expression: object.n <= 5");
  EXPECT_EQ(Ask(R"j({"validations":[{"expression":"false","message":" no "},{"expression":"1 > 2"}]})j"),
            "no\nfailed expression: 1 > 2");
}

TEST_F(PolicyEvaluatorTest, MakesMessages) {
  const auto message = [&](std::string_view expression) {
    return Ask(base::Cat(R"j({"validations":[{"expression":"false","message":"plain","messageExpression":")j",
                         expression, R"j("}]})j"));
  };
  EXPECT_EQ(message("' of ' + request.name"), "of a");
  EXPECT_EQ(message("' '"), "plain");
  EXPECT_EQ(message("'two\\\\nlines'"), "plain");
  EXPECT_EQ(message("object.missing"), "plain");
}

TEST_F(PolicyEvaluatorTest, ErrorsAreWhatTheFailurePolicySays) {
  const std::string_view fails = R"j({"validations":[{"expression":"object.n == 1"},{"expression":"false"}]})j";
  const std::string_view ignores =
      R"j({"failurePolicy":"Ignore","validations":[{"expression":"object.n == 1"},{"expression":"false"}]})j";
  EXPECT_EQ(Ask(fails), "expression 'object.n == 1' resulted in error: no such key: n\nfailed expression: false");
  EXPECT_EQ(Ask(ignores), "failed expression: false");
  EXPECT_TRUE(Ask(R"j({"validations":[{"expression":"nobody"}]})j")
                  .starts_with("compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference"));
}

TEST_F(PolicyEvaluatorTest, ConditionsComeFirstAndAFalseOneAboveErrors) {
  const auto with = [&](std::string_view conditions) {
    return Ask(base::Cat(R"j({"matchConditions":[)j", conditions, R"j(],"validations":[{"expression":"false"}]})j"));
  };
  const std::string_view error = R"j({"name":"e","expression":"object.n == 1"})j";
  EXPECT_EQ(with(R"j({"name":"t","expression":"true"})j"), "failed expression: false");
  EXPECT_EQ(with(base::Cat(error, R"j(,{"name":"f","expression":"false"})j")), "");
  EXPECT_EQ(with(error), "expression 'object.n == 1' resulted in error: no such key: n");
}

TEST_F(PolicyEvaluatorTest, VariablesAreComposed) {
  EXPECT_EQ(Ask(R"j({"variables":[{"name":"z","expression":"object.n"},{"name":"a","expression":"variables.z + 1"}],)j"
                R"j("validations":[{"expression":"variables.a == 3","messageExpression":"string(variables.a)"}]})j",
                R"j({"n":1})j"),
            "2");
  EXPECT_EQ(Ask(R"j({"variables":[{"name":"z","expression":"object.n"}],"validations":[{"expression":"true"}]})j"), "");
}

TEST_F(PolicyEvaluatorTest, SeesParametersNamespaceAndAuthorizer) {
  EXPECT_EQ(Ask(R"j({"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},)j"
                R"j("validations":[{"expression":"params.data.max == namespaceObject.metadata.name"}]})j",
                "{}", R"j({"data":{"max":"ns"}})j"),
            "");
  EXPECT_EQ(
      Ask(R"j({"validations":[{"expression":"authorizer.requestResource.check('get').allowed()","message":"m"}]})j"),
      "m");
  EXPECT_EQ(authorizer_.asked, "get pods a");
}

TEST_F(PolicyEvaluatorTest, BudgetsEndIt) {
  std::string items = "[0";
  for (int i = 1; i < 500; ++i) items += ",0";
  const std::string object = base::Cat(R"j({"l":)j", items, "]}");
  const std::string_view loop = R"j({"expression":"object.l.all(a, object.l.all(b, a == b))"})j";
  std::string validations(loop);
  for (int i = 0; i < 20; ++i) base::Append(validations, ",", loop);
  const std::string told = Ask(base::Cat(R"j({"validations":[)j", validations, "]}"), object);
  EXPECT_TRUE(told.ends_with("running out of cost budget, no further validation rules will be run")) << told;
  EXPECT_EQ(Ask(base::Cat(R"j({"failurePolicy":"Ignore","validations":[)j", validations, "]}"), object), "");
}

TEST_F(PolicyEvaluatorTest, BrokenAuditAnnotationsAlwaysDeny) {
  const std::string_view spec = R"j({"validations":[{"expression":"true"}],)j"
                                R"j("auditAnnotations":[{"key":"k","valueExpression":"object.n"}]})j";
  EXPECT_EQ(Ask(R"j({"validations":[{"expression":"true"}],)j"
                R"j("auditAnnotations":[{"key":"k","valueExpression":"string(object.n)"}]})j"),
            "expression 'string(object.n)' resulted in error: no such key: n (always)");
  EXPECT_TRUE(Ask(spec, R"j({"n":"x"})j").contains("must evaluate to"));
}

}  // namespace
}  // namespace admission
