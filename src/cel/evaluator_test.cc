#include "cel/evaluator.h"

#include <gtest/gtest.h>

#include <thread>

#include "cel/expression_fixture.h"
#include "cel/kubernetes_variables.h"
#include "cel/schema_declaration.h"
#include "value/json_reader.h"

namespace cel {
namespace {

std::string Of(std::string_view text) { return RunExpression(text).text; }

TEST(Evaluator, Computes) {
  EXPECT_EQ(Of("1 + 2 * 3 - 4 / 2 % 3"), "5");
  EXPECT_EQ(Of("9223372036854775807 + 1"), "error: integer overflow");
  EXPECT_EQ(Of("1 / 0"), "error: division by zero");
  EXPECT_EQ(Of("'a' + 'b'"), "ab");
  EXPECT_EQ(Of("[1] + [2, 3]"), "[1, 2, 3]");
  EXPECT_EQ(Of("([1] + [2] + [3])[2]"), "3");
  EXPECT_EQ(Of("timestamp('2024-01-01T00:00:00Z') + duration('1h')"), "2024-01-01T01:00:00Z");
  EXPECT_EQ(Of("dyn(1) == 1.0 && dyn(1u) == 1 && dyn(1) != 'a'"), "true");
  EXPECT_EQ(Of("dyn(1) < 'a'"), "error: no such overload");
  EXPECT_EQ(Of("dyn({}) < dyn({})"), "error: no such overload: _<_");
}

TEST(Evaluator, AndOrPassOverErrors) {
  EXPECT_EQ(Of("1 / 0 > 0 || true"), "true");
  EXPECT_EQ(Of("1 / 0 > 0 && false"), "false");
  EXPECT_EQ(Of("1 / 0 > 0 && true"), "error: division by zero");
  EXPECT_EQ(Of("[0, 1].exists(v, 1 / v == 1)"), "true");
  EXPECT_EQ(Of("[0, 2].exists(v, 1 / v == 1)"), "error: division by zero");
}

TEST(Evaluator, Loops) {
  EXPECT_EQ(Of("[1, 2, 3].filter(v, v > 1).map(v, v * 2)"), "[4, 6]");
  EXPECT_EQ(Of("{'a': 1, 'b': 2}.map(k, k)"), "[a, b]");
  EXPECT_EQ(Of("[1, 2, 3].exists_one(v, v > 2)"), "true");
  EXPECT_EQ(Of("['a', 'b'].transformMap(i, v, v + 'x')"), "{0: ax, 1: bx}");
  EXPECT_EQ(Of("[1, 2].transformMapEntry(i, v, {1: v})"), "error: insert failed: key 1 already exists");
  EXPECT_EQ(Of("[[1, 2], [3]].map(l, l.map(v, v + 1))"), "[[2, 3], [4]]");
  EXPECT_EQ(Of("[1, 2].map(v, __result__.size())"), "[0, 1]");
}

TEST(Evaluator, BindsANameOnlyWhereItIsUsed) {
  EXPECT_EQ(Of("optional.of(3).optMap(v, v + v)"), "optional(6)");
  EXPECT_EQ(Of("optional.none().optMap(v, v)"), "optional.none()");
  EXPECT_EQ(RunExpression("optional.of([1].map(v, v)).optMap(v, 1)").text, "optional(1)");
}

// What cel-go makes of some of its own values on their way through Go's types; each found by random expressions.
TEST(Evaluator, ReadsOptionalsThroughGo) {
  EXPECT_EQ(Of("dyn((true ? optional.of(int) : optional.none()).value()) == 'int'"), "true");
  EXPECT_EQ(Of("(true ? optional.of(optional.of(1)) : optional.none()).value()"), "1");
  EXPECT_EQ(Of("optional.of(optional.of(1)).value()"), "optional(1)");
  EXPECT_EQ(Of("(true ? optional.of(quantity('1Gi')) : optional.none()).value()"),
            "error: unsupported conversion to ref.Val: (*resource.Quantity)1Gi");
  EXPECT_EQ(Of("(true ? optional.of(ip('::1')) : optional.none()).hasValue()"), "true");
}

TEST(Evaluator, TakesVariablesOfTypesForNamesOfTypes) {
  EXPECT_EQ(Of("[type(1)].filter(v, v == int)"), "program: reference to undefined type: v");
}

TEST(Evaluator, SaysWhatNoLoopWithTwoVariablesGoesOver) {
  EXPECT_EQ(Of("[[1]][1].all(v, v > 0)"), "error: index out of bounds: 1");
  EXPECT_EQ(Of("[[1]][1].all(i, v, v > 0)"), "error: unsupported comprehension range type: *types.Err");
}

TEST(Evaluator, ReadsANullOfARequestAndNoneOfAnObjectWithASchema) {
  value::Arena arena;
  Declarations declarations;
  const auto request = value::ReadJson(R"({"options":null})", arena);
  const Value x = Value::Document(*request, DeclareAdmissionRequest(declarations));
  EXPECT_EQ(RunExpression("has(x.options) && x.options == null", x).text, "true");
  const auto schema = value::ReadJson(R"({"type":"object","properties":{"options":{"type":"object"}}})", arena);
  const Value y = Value::Document(*request, DeclareSchema(declarations, *schema, "t"));
  EXPECT_EQ(RunExpression("has(x.options)", y).text, "false");
}

TEST(Evaluator, GoesIntoDocuments) {
  value::Arena arena;
  auto document = value::ReadJson(R"({"a":{"b":[1,{"c":"d"}]},"n":null})", arena);
  Value x = Value::Document(*document, nullptr);
  EXPECT_EQ(RunExpression("x.a.b[1].c", x).text, "d");
  EXPECT_EQ(RunExpression("x.a.z", x).text, "error: no such key: z");
  EXPECT_EQ(RunExpression("x.a.b[5]", x).text, "error: index out of bounds: 5");
  EXPECT_EQ(RunExpression("x.a.b['k']", x).text, "error: unsupported index type 'string' in list");
  EXPECT_EQ(RunExpression("has(x.a.b) && !has(x.a.z) && has(x.n)", x).text, "true");
  EXPECT_EQ(RunExpression("x.?a.z.orValue(7)", x).text, "7");
  EXPECT_EQ(RunExpression("x.a.?b[0]", x).text, "optional(1)");
  EXPECT_EQ(RunExpression("has(x.a.b.c)", x).text, "error: unsupported index type 'string' in list");
  EXPECT_EQ(RunExpression("'a' in x && !('z' in x)", x).text, "true");
}

TEST(Evaluator, CountsWhatItCosts) {
  value::Arena arena;
  auto document = value::ReadJson(R"({"spec":{"replicas":3}})", arena);
  Value x = Value::Document(*document, nullptr);
  EXPECT_EQ(RunExpression("x.spec.replicas <= 5", x).cost, 4U);
  EXPECT_EQ(RunExpression("has(x.spec.replicas)", x).cost, 2U);
  EXPECT_EQ(RunExpression("x.spec.?nothing", x).cost, 2U);
  EXPECT_EQ(RunExpression("true ? x.spec : x", x).cost, 1U);
  EXPECT_EQ(RunExpression("[1, 2, 3].all(v, v > 0)").cost, 16U);
  EXPECT_EQ(RunExpression("3 in [1, 2, 3]").cost, 0U);
  EXPECT_EQ(RunExpression("quantity('1Gi').isGreaterThan(quantity('1Mi'))").cost, 3U);
}

TEST(Evaluator, CountsOptionalStepsOnlyWhereTheyLead) {
  value::Arena arena;
  auto document = value::ReadJson(R"({"a":{"b":1}})", arena);
  Value x = Value::Document(*document, nullptr);
  EXPECT_EQ(RunExpression("has(x.?a.b)", x).cost, 2u);
  EXPECT_EQ(RunExpression("has(x.?a.c)", x).cost, 1u);
  EXPECT_EQ(RunExpression("has(x.?c.b)", x).cost, 0u);
  EXPECT_EQ(RunExpression("has(x.a.c)", x).cost, 2u);
  EXPECT_EQ(RunExpression("x.a[?x.a.c]", x).cost, 4u);
}

TEST(Evaluator, EndsAtTheLimitOfTheCost) {
  EXPECT_EQ(RunExpression("[1, 2, 3].all(v, v > 0)", {}, {}, 16).text, "true");
  Ran ran = RunExpression("[1, 2, 3].all(v, v > 0)", {}, {}, 15);
  EXPECT_EQ(ran.text, "error: operation cancelled: actual cost limit exceeded");
  EXPECT_TRUE(ran.limit_exceeded);
  // No || goes on after it.
  EXPECT_TRUE(RunExpression("[1, 2, 3].all(v, v > 0) || true", {}, {}, 10).limit_exceeded);
}

TEST(Evaluator, ExplosionsStopAtTheLimit) {
  std::string lists = "[0,1,2,3,4,5,6,7,8,9]";
  std::string nested = "true";
  for (char name = 'a'; name < 'h'; ++name) nested = lists + ".all(" + name + ", " + nested + ")";
  EXPECT_TRUE(RunExpression(nested).limit_exceeded);
  std::string doubled = "'0123456789'";
  for (int i = 0; i < 7; ++i) doubled = lists + ".map(v, " + doubled + ").join().replace('0', '0123456789')";
  EXPECT_TRUE(RunExpression(doubled).limit_exceeded);
  // Lists that hold all lists before them: equal only after 2^40 comparisons, were they not counted.
  std::string loop =
      "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39]."
      "map(v, dyn(__result__))";
  EXPECT_TRUE(RunExpression(loop + " == " + loop).limit_exceeded);
}

TEST(Evaluator, EndsAtTheDeadline) {
  auto environment = TestEnvironment();
  auto checked = Check(
      environment, "[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, true)))");
  ASSERT_TRUE(checked);
  auto program = MakeProgram(*checked);
  ASSERT_TRUE(program);
  Activation activation(*environment);
  Evaluation evaluation;
  evaluation.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ((*program)->Evaluate(activation, evaluation).text(), "operation interrupted");
}

TEST(Planner, FoldsConstantsAndSaysWhatTheyRanInto) {
  EXPECT_EQ(Of("int('x')"), "program: type conversion error from 'string' to 'int'");
  EXPECT_EQ(Of("true || int('x') == 1"), "program: type conversion error from 'string' to 'int'");
  EXPECT_EQ(Of("'a'.find('(')"), "program: error parsing regexp: missing closing ): `(`");
  EXPECT_EQ(Of("{}[null]"), "program: invalid qualifier type: types.Null");
  EXPECT_EQ(RunExpression("[1, 2]").cost, 0U);
  EXPECT_EQ(RunExpression("[1, 2]", {}, {}, 100, {.version = kStoredExpressions, .fold_constants = false}).cost, 10U);
}

TEST(Program, IsSharedByThreads) {
  auto environment = TestEnvironment();
  auto program = *MakeProgram(*Check(environment, "x.map(v, v * 2).exists(v, v == 20)"));
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Value items[] = {Value::Int(1), Value::Int(10)};
      for (int i = 0; i < 500; ++i) {
        Activation activation(*environment);
        activation.Bind("x", Value::List(items));
        Evaluation evaluation;
        good += program->Evaluate(activation, evaluation).is_true();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 2000);
}

TEST(Program, IsSmall) {
  auto program = *MakeProgram(*Check(
      TestEnvironment(),
      "has(object.metadata.labels) && object.metadata.labels.all(k, object.metadata.labels[k].matches('^[a-z]+$'))"));
  EXPECT_LT(program->memory(), 10U * 1024);
  EXPECT_EQ(FormatFull(program->output_type()), "bool");
}

}  // namespace
}  // namespace cel
