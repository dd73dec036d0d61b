#include "cel/checker.h"

#include <gtest/gtest.h>

#include "cel/expression_fixture.h"
#include "cel/unify.h"

namespace cel {
namespace {

// The type, or the first error.
std::string TypeOf(std::string_view text, EnvironmentOptions options = {.version = kStoredExpressions}) {
  auto checked = Check(TestEnvironment(std::move(options)), text);
  if (checked) return FormatFull(checked->type());
  std::string error = checked.error().substr(7);
  return error.substr(0, error.find('\n'));
}

TEST(Checker, FindsTypes) {
  EXPECT_EQ(TypeOf("1 + 2"), "int");
  EXPECT_EQ(TypeOf("[1, 2].map(v, string(v))"), "list(string)");
  EXPECT_EQ(TypeOf("{'a': 1u}"), "map(string, uint)");
  EXPECT_EQ(TypeOf("[]"), "list(dyn)");
  EXPECT_EQ(TypeOf("[[], [1]]"), "list(list(int))");
  EXPECT_EQ(TypeOf("x.y.z"), "dyn");
  EXPECT_EQ(TypeOf("optional.of(1).orValue(2)"), "int");
  EXPECT_EQ(TypeOf("{'a': 1}.?a"), "optional_type(int)");
  EXPECT_EQ(TypeOf("true ? null : duration('1s')"), "null_type");
  EXPECT_EQ(TypeOf("type(1)"), "type(int)");
  EXPECT_EQ(TypeOf("x > 1 ? x : 2"), "dyn");
}

TEST(Checker, RefusesWhatDoesNotFit) {
  EXPECT_EQ(TypeOf("1 + '2'"), "<input>:1:3: found no matching overload for '_+_' applied to '(int, string)'");
  EXPECT_EQ(TypeOf("nothing"), "<input>:1:1: undeclared reference to 'nothing' (in container '')");
  EXPECT_EQ(TypeOf("nothing()"), "<input>:1:8: undeclared reference to 'nothing' (in container '')");
  EXPECT_EQ(TypeOf("'a'.size() == 'b'"),
            "<input>:1:12: found no matching overload for '_==_' applied to '(int, string)'");
  EXPECT_EQ(TypeOf("'a'.b"), "<input>:1:4: type 'string' does not support field selection");
  EXPECT_EQ(TypeOf("1.all(v, true)"),
            "<input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)");
  EXPECT_EQ(TypeOf("[1].all(v, v)"), "<input>:1:12: expected type 'bool' but found 'int'");
  EXPECT_EQ(TypeOf("true && 1"), "<input>:1:9: expected type 'bool' but found 'int'");
}

TEST(Checker, KnowsWhatAVersionHas) {
  EXPECT_EQ(TypeOf("1 < 1.5", {.version = {1, 27}}),
            "<input>:1:3: found no matching overload for '_<_' applied to '(int, double)'");
  EXPECT_EQ(TypeOf("1 < 1.5", {.version = {1, 28}}), "bool");
  EXPECT_EQ(TypeOf("isIP('a')", {.version = {1, 29}}), "<input>:1:5: undeclared reference to 'isIP' (in container '')");
  EXPECT_EQ(TypeOf("isIP('a')", {.version = {1, 30}}), "bool");
  EXPECT_EQ(TypeOf("[1].all(i, v, true)", {.version = {1, 31}}),
            "<input>:1:8: undeclared reference to 'all' (in container '')");
}

TEST(Validators, LookAtLiterals) {
  EXPECT_EQ(TypeOf("duration('1')"), "<input>:1:10: invalid duration argument");
  EXPECT_EQ(TypeOf("timestamp('x')"), "<input>:1:11: invalid timestamp argument");
  EXPECT_EQ(TypeOf("'a'.matches('(')"), "<input>:1:13: invalid matches argument");
  EXPECT_EQ(TypeOf("[1, 'a']"), "<input>:1:5: expected type 'int' but found 'string'");
  EXPECT_EQ(TypeOf("{'a': 1, 'b': true}"), "<input>:1:15: expected type 'int' but found 'bool'");
  EXPECT_EQ(TypeOf("'%d'.format(['a'])"),
            "<input>:1:14: error during formatting: decimal clause can only be used on integers, was given string");
  EXPECT_EQ(TypeOf("'%s %d'.format(['a', 1])"), "string");
  EXPECT_EQ(TypeOf("duration('1')", {.version = {1, 28}}), "google.protobuf.Duration");
}

TEST(Checker, TakesSeveralOverloads) {
  auto checked = Check(TestEnvironment(), "x + y");
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->type().is_dyn());
}

TEST(Unify, BindsParametersAndTakesThemBack) {
  TypePool pool;
  Bindings bindings(pool);
  const Type* variable = bindings.NewVariable();
  EXPECT_TRUE(bindings.Assign(&kIntType, variable));
  EXPECT_FALSE(bindings.Assign(&kStringType, variable));
  EXPECT_EQ(Format(*bindings.Substitute(pool.List(variable), true)), "list(int)");
  const Type* other = bindings.NewVariable();
  const Type* from[] = {pool.List(&kIntType), &kStringType};
  const Type* to[] = {pool.List(other), other};
  EXPECT_FALSE(bindings.AssignAll(from, to));
  EXPECT_EQ(Format(*bindings.Substitute(other, true)), "dyn");
}

TEST(Unify, RefusesATypeWithinItself) {
  TypePool pool;
  Bindings bindings(pool);
  const Type* variable = bindings.NewVariable();
  EXPECT_FALSE(bindings.Assign(pool.List(variable), variable));
}

TEST(Type, IsReadAndShown) {
  TypePool pool;
  for (const char* text : {"int", "list(int)", "map(string, list(dyn))", "wrapper(int)", "optional_type(int)",
                           "type(int)", "tuple(int, uint, double)", "net.IP", "A"}) {
    EXPECT_EQ(Format(*pool.Parse(text)), text);
  }
  EXPECT_EQ(pool.Parse("list(int"), nullptr);
  EXPECT_EQ(pool.Parse(""), nullptr);
  EXPECT_EQ(FormatFull(*pool.Parse("list(timestamp)")), "list(google.protobuf.Timestamp)");
}

}  // namespace
}  // namespace cel
