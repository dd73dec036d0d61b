// Objects held to rules in CEL: what passes, what is told and where, and what an unchanged value may go on breaking.
#include "customresources/rule_set.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "customresources/compiled_schema.h"
#include "value/json_reader.h"

namespace customresources {
namespace {

using value::Arena;

struct Outcome {
  std::vector<std::string> errors, warnings;
};

// `old` "" is a create.
Outcome Evaluate(std::string_view schema, std::string_view object, std::string_view old = "",
                 RuleEvaluator::Ratcheting ratcheting = {.unchanged_may_fail = true}) {
  Arena arena;
  SchemaCompiler compiler;
  const auto compiled = compiler.Compile(value::ReadJson(schema, arena).value());
  const RuleSet rules(compiled->root());
  const Value now = value::ReadJson(object, arena).value();
  const Value before = old.empty() ? Value() : value::ReadJson(old, arena).value();
  ErrorList errors;
  Outcome outcome;
  rules.Evaluate(now, old.empty() ? nullptr : &before, ratcheting, errors, outcome.warnings);
  for (const api::FieldError& error : errors.errors()) {
    outcome.errors.push_back(base::Cat(error.field, ": ", error.Message()));
  }
  return outcome;
}

using Texts = std::vector<std::string>;

// A schema whose spec has the rules and properties n (integer), l (list map by k of {k, v}), b (byte).
std::string Spec(std::string_view rules, std::string_view inside = "") {
  return base::Cat(
      R"({"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":[)", rules,
      R"(],"properties":{"n":{"type":"integer"},"s":{"type":"string"},"b":{"type":"string","format":"byte"},)",
      R"("l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object",)",
      R"("properties":{"k":{"type":"string"},"v":{"type":"integer")", inside, "}}}}}}}}");
}

TEST(RuleSet, TellsWhereAndWhy) {
  EXPECT_EQ(Evaluate(Spec(R"({"rule":"self.n > 1"})"), R"({"spec":{"n":2}})").errors, Texts());
  EXPECT_EQ(Evaluate(Spec(R"({"rule":" self.n > 1 "})"), R"({"spec":{"n":1}})").errors,
            Texts{R"(spec: Invalid value: "object": failed rule: self.n > 1)"});
  EXPECT_EQ(Evaluate(Spec(R"({"rule":"self.n > 1","message":"too small","reason":"FieldValueForbidden"})"),
                     R"({"spec":{"n":1}})")
                .errors,
            Texts{"spec: Forbidden: too small"});
  EXPECT_EQ(Evaluate(Spec(R"({"rule":"self.n > 1","message":"m","fieldPath":".n"})"), R"({"spec":{"n":1}})").errors,
            Texts{R"(spec.n: Invalid value: "object": m)"});
  EXPECT_EQ(Evaluate(Spec("", R"(,"x-kubernetes-validations":[{"rule":"self < 3"}])"),
                     R"({"spec":{"l":[{"k":"a","v":1},{"k":"b","v":3}]}})")
                .errors,
            Texts{R"(spec.l[1].v: Invalid value: "integer": failed rule: self < 3)"});
}

TEST(RuleSet, MessagesMayBeComputed) {
  const auto told = [](std::string_view expression) {
    return Evaluate(
               Spec(base::Cat(R"({"rule":"self.n > 1","message":"plain","messageExpression":")", expression, "\"}")),
               R"({"spec":{"n":1}})")
        .errors;
  };
  EXPECT_EQ(told("'got ' + string(self.n)"), Texts{R"(spec: Invalid value: "object": got 1)"});
  // What fails, is empty or of two lines gives way to the message.
  EXPECT_EQ(told("self.s"), Texts{R"(spec: Invalid value: "object": plain)"});
  EXPECT_EQ(told("'  '"), Texts{R"(spec: Invalid value: "object": plain)"});
  EXPECT_EQ(told(R"('a\\nb')"), Texts{R"(spec: Invalid value: "object": plain)"});
}

TEST(RuleSet, ErrorsOfEvaluationAreTold) {
  EXPECT_EQ(Evaluate(Spec(R"({"rule":"self.s == 'a'"})"), R"({"spec":{}})").errors,
            Texts{R"(spec: Invalid value: "object": no such key: s evaluating rule: self.s == 'a')"});
}

TEST(RuleSet, TransitionRulesNeedAnOldValue) {
  const std::string schema = Spec("", R"(,"x-kubernetes-validations":[{"rule":"self >= oldSelf"}])");
  EXPECT_EQ(Evaluate(schema, R"({"spec":{"l":[{"k":"a","v":1}]}})").errors, Texts());
  // Items of a list with keys are found again by them, in any order.
  EXPECT_EQ(Evaluate(schema, R"({"spec":{"l":[{"k":"b","v":0},{"k":"a","v":1}]}})",
                     R"({"spec":{"l":[{"k":"a","v":2},{"k":"c","v":9}]}})")
                .errors,
            Texts{R"(spec.l[1].v: Invalid value: "integer": failed rule: self >= oldSelf)"});
  const std::string optional = Spec(R"({"rule":"oldSelf.hasValue() || self.n == 0","optionalOldSelf":true})");
  EXPECT_EQ(Evaluate(optional, R"({"spec":{"n":1}})").errors.size(), 1u);
  EXPECT_EQ(Evaluate(optional, R"({"spec":{"n":1}})", R"({"spec":{"n":5}})").errors, Texts());
  EXPECT_EQ(Evaluate(optional, R"({"spec":{"n":1}})", "", {.enabled = false}).errors, Texts());
}

TEST(RuleSet, WhatDidNotChangeMayGoOnBreakingRules) {
  const std::string schema = Spec(R"({"rule":"self.n > 1"})");
  const Outcome same = Evaluate(schema, R"({"spec":{"n":0}})", R"({"spec":{"n":0}})");
  EXPECT_EQ(same.errors, Texts());
  EXPECT_EQ(same.warnings, Texts{R"(spec: Invalid value: "object": failed rule: self.n > 1)"});
  EXPECT_EQ(Evaluate(schema, R"({"spec":{"n":0,"s":"x"}})", R"({"spec":{"n":0}})").errors.size(), 1u);
  EXPECT_EQ(Evaluate(schema, R"({"spec":{"n":0}})", R"({"spec":{"n":0}})", {}).errors.size(), 1u);
  // Transition rules are not let off.
  EXPECT_EQ(
      Evaluate(Spec(R"({"rule":"self.n != oldSelf.n"})"), R"({"spec":{"n":0}})", R"({"spec":{"n":0}})").errors.size(),
      1u);
}

TEST(RuleSet, BytesAreBytes) {
  const std::string schema = Spec(R"({"rule":"self.b == b'\\xfb\\xff' && size(self.b) == 2"})");
  EXPECT_EQ(Evaluate(schema, R"({"spec":{"b":"-_8="}})").errors, Texts());
  EXPECT_EQ(Evaluate(schema, R"({"spec":{"b":"YWJj"}})").errors.size(), 1u);
  EXPECT_EQ(Evaluate(schema, R"({"spec":{"b":"no base64"}})").errors,
            Texts{base::Cat(R"(spec: Invalid value: "object": Invalid byte formatted string evaluating rule: )",
                            R"(self.b == b'\xfb\xff' && size(self.b) == 2)")});
}

TEST(RuleSet, BudgetsEndIt) {
  // One call may cost a million.
  const std::string schema =
      Spec(R"j({"rule":"self.l.all(x, self.l.all(y, self.l.all(z, x.v + y.v + z.v < 0 || true)))"})j");
  std::string object = R"j({"spec":{"l":[)j";
  for (int i = 0; i < 200; ++i) base::Append(object, i > 0 ? "," : "", R"j({"k":")j", i, R"j(","v":1})j");
  object += "]}}";
  const Outcome outcome = Evaluate(schema, object);
  ASSERT_EQ(outcome.errors.size(), 1u);
  EXPECT_NE(outcome.errors[0].find("no further validation rules will be run due to call cost exceeds limit"),
            std::string::npos);
}

}  // namespace
}  // namespace customresources
