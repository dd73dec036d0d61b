#include "cel/declaration.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cel/composition.h"
#include "cel/kubernetes_variables.h"
#include "cel/program_cache.h"
#include "cel/schema_declaration.h"
#include "cel/text.h"
#include "value/json_reader.h"

namespace cel {
namespace {

TEST(Escaping, GoesBothWays) {
  for (auto [name, escaped] : {std::pair("a-b", "a__dash__b"),
                               {"a.b/c", "a__dot__b__slash__c"},
                               {"a__b", "a__underscores__b"},
                               {"namespace", "__namespace__"},
                               {"_a", "_a"}}) {
    std::string text;
    ASSERT_TRUE(EscapeName(name, text));
    EXPECT_EQ(text, escaped);
    std::string back;
    ASSERT_TRUE(UnescapeName(text, back));
    EXPECT_EQ(back, name);
  }
  std::string text;
  EXPECT_FALSE(EscapeName("1a", text));
  EXPECT_FALSE(EscapeName("a b", text));
  EXPECT_FALSE(EscapeName("", text));
  EXPECT_FALSE(UnescapeName("__int__extra", text));
}

struct Declared {
  std::shared_ptr<Declarations> declarations = std::make_shared<Declarations>();
  const Declaration* declaration = nullptr;
};

Declared OfSchema(std::string_view json, bool root = false) {
  value::Arena arena;
  Declared declared;
  declared.declaration = DeclareSchema(*declared.declarations, *value::ReadJson(json, arena), "T", root);
  return declared;
}

TEST(SchemaDeclaration, NamesTypesAndBoundsSizes) {
  Declared declared = OfSchema(
      R"({"type":"object","properties":{"a-b":{"type":"array","items":{"type":"boolean"}},"at":{"type":"string","format":"date-time"},
    "short":{"type":"string","maxLength":5},"any":{"x-kubernetes-preserve-unknown-fields":true},"ports":{"type":"array","maxItems":3,"items":{"type":"object","properties":{"n":{"type":"integer"}}}}}})");
  ASSERT_NE(declared.declaration, nullptr);
  EXPECT_EQ(Format(*declared.declaration->type), "T");
  EXPECT_EQ(declared.declaration->Field("a__dash__b")->declaration->max_size, 629145U);
  EXPECT_EQ(Format(*declared.declaration->Field("at")->declaration->type), "timestamp");
  EXPECT_EQ(declared.declaration->Field("short")->declaration->max_size, 20U);
  EXPECT_EQ(declared.declaration->Field("any"), nullptr);
  EXPECT_EQ(Format(*declared.declaration->Field("ports")->declaration->type), "list(T.ports.@idx)");
  EXPECT_EQ(declared.declaration->Field("metadata"), nullptr);
}

TEST(SchemaDeclaration, GivesARootItsMetadata) {
  Declared declared = OfSchema(R"({"type":"object","properties":{}})", true);
  EXPECT_EQ(Format(*declared.declaration->Field("kind")->declaration->type), "string");
  EXPECT_NE(declared.declaration->Field("metadata")->declaration->Field("generateName"), nullptr);
}

TEST(SchemaDeclaration, EndsWhereSchemasAreTooDeep) {
  std::string json = R"({"type":"string"})";
  for (int i = 0; i < 200; ++i) json = R"({"type":"array","items":)" + json + "}";
  EXPECT_EQ(OfSchema(json).declaration, nullptr);
}

TEST(KubernetesVariables, HaveTheirFields) {
  Declarations declarations;
  EXPECT_EQ(Format(*DeclareAdmissionRequest(declarations)->Field("userInfo")->declaration->type),
            "kubernetes.UserInfo");
  EXPECT_EQ(Format(*DeclareNamespace(declarations)
                        ->Field("metadata")
                        ->declaration->Field("creationTimestamp")
                        ->declaration->type),
            "timestamp");
  EXPECT_NE(
      DeclareSubjectAccessReview(declarations, true)->Field("resourceAttributes")->declaration->Field("fieldSelector"),
      nullptr);
  EXPECT_EQ(
      DeclareSubjectAccessReview(declarations, false)->Field("resourceAttributes")->declaration->Field("fieldSelector"),
      nullptr);
}

TEST(Composition, EvaluatesAVariableOnceAndOnlyWhenAsked) {
  VariablesType type;
  std::vector<ComposedVariable> variables;
  auto add = [&](std::string_view name, std::string_view text) {
    auto [declaration, owner] = type.Declare();
    Environment::Builder builder;
    auto environment = builder.Declare("variables", declaration).Keep(owner).Build();
    auto compiled = Compile(environment, text);
    variables.push_back({std::string(name), compiled->program, compiled->check_error});
    auto checked = Check(environment, text);
    type.Add(name, checked ? checked->type() : kDynType);
  };
  add("n", "[1, 2, 3].map(v, v)");
  add("m", "variables.n.size()");
  add("bad", "1 / (1 - 1)");
  add("wrong", "nobody");
  std::ranges::sort(variables, {}, &ComposedVariable::name);
  auto [declaration, owner] = type.Declare();
  auto environment = Environment::Builder().Declare("variables", declaration).Keep(owner).Build();
  auto compiled = Compile(environment, "variables.m + variables.m");
  ASSERT_NE(compiled->program, nullptr) << compiled->check_error;
  Activation activation(*environment);
  value::Arena arena;
  VariableValues values(variables, activation, arena);
  activation.Bind("variables", Value::Lazy(&values));
  Evaluation evaluation;
  EXPECT_EQ(Shown(compiled->program->Evaluate(activation, evaluation)), "6");
  uint64_t once = values.cost();
  EXPECT_GT(once, 0U);
  Value again;
  ASSERT_TRUE(values.Get("m", again));
  EXPECT_EQ(values.cost(), once);
  ASSERT_TRUE(values.Get("bad", again));
  EXPECT_EQ(again.text(), "composited variable \"bad\" fails to evaluate: division by zero");
  ASSERT_TRUE(values.Get("wrong", again));
  EXPECT_TRUE(again.text().starts_with("composited variable \"wrong\" fails to compile: ERROR: <input>:1:1: undecl"));
  EXPECT_FALSE(values.Get("other", again));
}

TEST(ProgramCache, SharesByTextAndEnvironment) {
  auto environment = Environment::Builder().Build();
  auto other = Environment::Builder({.version = kStoredExpressions}).Build();
  ProgramCache cache;
  auto first = cache.Get(environment, "1 + 1");
  EXPECT_EQ(cache.Get(environment, "1 + 1"), first);
  EXPECT_NE(cache.Get(other, "1 + 1"), first);
  EXPECT_EQ(cache.Get(environment, "1 +")->program, nullptr);
  EXPECT_FALSE(cache.Get(environment, "1 +")->check_error.empty());
  EXPECT_EQ(cache.Get(environment, "int('x')")->program_error, "type conversion error from 'string' to 'int'");
}

TEST(ProgramCache, ForgetsWhatNobodyHolds) {
  auto environment = Environment::Builder().Build();
  ProgramCache cache;
  for (int i = 0; i < 2000; ++i) cache.Get(environment, std::to_string(i));
  EXPECT_LT(cache.size(), 300U);
}

TEST(Environment, HasWhatItsVersionHas) {
  auto old = Environment::Builder({.version = {1, 28}}).Build();
  auto stored = Environment::Builder({.version = kStoredExpressions}).Build();
  EXPECT_EQ(old->FindFunction("sets.contains"), nullptr);
  EXPECT_NE(stored->FindFunction("sets.contains"), nullptr);
  EXPECT_NE(stored->FindFunction("cel.@mapInsert"), nullptr);
  EXPECT_EQ(Environment::Builder({.version = kNewExpressions}).Build()->FindFunction("cel.@mapInsert"), nullptr);
  auto no_selectors = Environment::Builder({.version = kNewExpressions, .authorize_with_selectors = false}).Build();
  EXPECT_EQ(no_selectors->FindFunction("fieldSelector"), nullptr);
}

TEST(Functions, AreFoundWithTheirOverloads) {
  EXPECT_EQ(OverloadOf(OverloadId::kStartsWithString).name, "starts_with_string");
  EXPECT_EQ(FindFunction("no such"), nullptr);
  for (const Function& function : AllFunctions()) {
    for (const Overload& overload : function.overloads) {
      EXPECT_NE(overload.result, nullptr) << overload.name;
      for (const Type* argument : overload.arguments) EXPECT_NE(argument, nullptr) << overload.name;
    }
  }
}

}  // namespace
}  // namespace cel
