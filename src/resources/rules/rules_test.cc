#include "resources/rules/rules.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "resources/rules/field_checks.h"
#include "value/json_reader.h"

namespace resources {
namespace {

constexpr std::array<std::string_view, 2> kSizes = {"big", "small"};

void CheckLowBelowHigh(Scope& scope) {
  if (scope.Int("low") > scope.Int("high"))
    scope.errors.Invalid(scope.At("low"), scope.Int("low"), "must not be greater than high");
}

// Only small things need a frame's name.
void CheckFrame(Scope& frame) {
  if (frame.parent->String("kind") == "small" && !frame.Has("name")) frame.errors.Required(frame.At("name"));
}

constexpr Rule kPart[] = {
    Required("name", "give it one"),
    Format("name", kDnsLabel),
};
constexpr Rule kFrame[] = {Call(CheckFrame)};
constexpr Rule kThing[] = {
    Enum("size", kSizes),
    RequiredEnum("kind", kSizes),
    Range("port", 1, 10, "must be between 1 and 10, inclusive"),
    NonNegative("count"),
    MaxBytes("note", 3),
    MaxItems("tags", 2),
    Unique("tags"),
    EachFormat("tags", kDnsLabel),
    Immutable("fixed"),
    ForbiddenSet("old", "is gone"),
    Into("main", kPart),
    IntoStruct("frame", kFrame),
    Each("parts", kPart),
    Unique("parts", "name"),
    Each("named", kPart),
    Call(CheckLowBelowHigh),
};

// Every error as the API lists it, or "" for a thing that keeps the rules.
std::string Errors_(std::string_view json, const char* old_json = nullptr) {
  value::Arena arena;
  api::RequestContext request;
  registry::Resource resource;
  std::vector<std::string> warnings;
  registry::WriteContext context{request, resource, arena, "", "", warnings};
  Value old;
  if (old_json) old = *value::ReadJson(old_json, arena);
  Errors errors;
  Check(context, kThing, FieldPath("spec"), *value::ReadJson(json, arena), old_json ? &old : nullptr, errors);
  std::string text;
  for (const api::FieldError& error : std::move(errors).Take()) text += error.field + ": " + error.Message() + "\n";
  return text;
}

TEST(Rules, EachKindOfRuleBreaksAndKeeps) {
  struct {
    const char* name;
    const char* keeps;
    const char* breaks;
    const char* error;
  } cases[] = {
      {"enum", R"({"kind":"big","size":"small"})", R"({"kind":"big","size":"huge"})",
       "spec.size: Unsupported value: \"huge\": supported values: \"big\", \"small\"\n"},
      {"required enum", R"({"kind":"big"})", "{}", "spec.kind: Required value\n"},
      {"range", R"({"kind":"big","port":10})", R"({"kind":"big","port":11})",
       "spec.port: Invalid value: 11: must be between 1 and 10, inclusive\n"},
      {"non-negative", R"({"kind":"big","count":0})", R"({"kind":"big","count":-1})",
       "spec.count: Invalid value: -1: must be greater than or equal to 0\n"},
      {"length", R"({"kind":"big","note":"abc"})", R"({"kind":"big","note":"abcd"})",
       "spec.note: Too long: may not be more than 3 bytes\n"},
      {"items", R"({"kind":"big","tags":["a","b"]})", R"({"kind":"big","tags":["a","b","c"]})",
       "spec.tags: Too many: 3: must have at most 2 items\n"},
      {"unique", R"({"kind":"big","tags":["a","b"]})", R"({"kind":"big","tags":["a","a"]})",
       "spec.tags[1]: Duplicate value: \"a\"\n"},
      {"forbidden", R"({"kind":"big"})", R"({"kind":"big","old":"x"})", "spec.old: Forbidden: is gone\n"},
      {"into", R"({"kind":"big","main":{"name":"x"}})", R"({"kind":"big","main":{}})",
       "spec.main.name: Required value: give it one\n"},
      {"into what is no pointer", R"({"kind":"small","frame":{"name":"x"}})", R"({"kind":"small"})",
       "spec.frame.name: Required value\n"},
      {"each", R"({"kind":"big","parts":[{"name":"x"}]})", R"({"kind":"big","parts":[{"name":"x"},{}]})",
       "spec.parts[1].name: Required value: give it one\n"},
      {"each of a map", R"({"kind":"big","named":{"a":{"name":"x"}}})", R"({"kind":"big","named":{"a":{}}})",
       "spec.named[a].name: Required value: give it one\n"},
      {"unique by key", R"({"kind":"big","parts":[{"name":"x"},{"name":"y"}]})",
       R"({"kind":"big","parts":[{"name":"x"},{"name":"x"}]})", "spec.parts[1].name: Duplicate value: \"x\"\n"},
      {"call", R"({"kind":"big","low":1,"high":1})", R"({"kind":"big","low":2,"high":1})",
       "spec.low: Invalid value: 2: must not be greater than high\n"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Errors_(c.keeps), "") << c.name;
    EXPECT_EQ(Errors_(c.breaks), c.error) << c.name;
  }
}

TEST(Rules, ImmutableLooksAtTheFormerObject) {
  EXPECT_EQ(Errors_(R"({"kind":"big","fixed":"a"})"), "");
  EXPECT_EQ(Errors_(R"({"kind":"big","fixed":"a"})", R"({"fixed":"a"})"), "");
  EXPECT_EQ(Errors_(R"({"kind":"big","fixed":"b"})", R"({"fixed":"a"})"),
            "spec.fixed: Invalid value: \"b\": field is immutable\n");
  EXPECT_EQ(Errors_(R"({"kind":"big"})", R"({"fixed":"a"})"),
            "spec.fixed: Invalid value: \"null\": field is immutable\n");
}

TEST(Rules, ErrorsComeInTheTablesOrder) {
  EXPECT_EQ(Errors_(R"({"low":1,"size":"x","old":"y"})"),
            "spec.size: Unsupported value: \"x\": supported values: \"big\", \"small\"\nspec.kind: Required "
            "value\nspec.old: Forbidden: is gone\n"
            "spec.low: Invalid value: 1: must not be greater than high\n");
}

TEST(FieldChecks, SpaceAround) {
  for (std::string_view text : {" a", "a\n", "\u00a0a", "a\u3000", " "}) EXPECT_TRUE(HasSpaceAround(text)) << text;
  for (std::string_view text : {"", "a", "a b", "\u00e9"}) EXPECT_FALSE(HasSpaceAround(text)) << text;
}

TEST(FieldChecks, Addresses) {
  auto text = [](void (*check)(Errors&, const FieldPath&, std::string_view), std::string_view input) {
    Errors errors;
    check(errors, FieldPath("f"), input);
    return errors.empty();
  };
  for (const char* good : {"1.2.3.4", "010.0.0.1", "::1", "2001:db8::ffff", "::ffff:1.2.3.4"})
    EXPECT_TRUE(text(CheckIp, good)) << good;
  for (const char* bad : {"", "1.2.3", "1.2.3.256", "1.2.3.4.5", "a", ":::", "1.2.3.4/8", "::1%eth0"})
    EXPECT_FALSE(text(CheckIp, bad)) << bad;
  for (const char* good : {"10.0.0.0/8", "010.0.0.0/08", "::/0", "2001:db8::/128"})
    EXPECT_TRUE(text(CheckCidr, good)) << good;
  for (const char* bad : {"10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "::/129", "10.0.0.0/-1", "x/8"})
    EXPECT_FALSE(text(CheckCidr, bad)) << bad;
}

TEST(FieldChecks, LabelSelectors) {
  value::Arena arena;
  Value labels = *value::ReadJson(R"({"a":"1","b":"2"})", arena);
  struct {
    const char* selector;
    bool matches;
  } cases[] = {
      {"{}", true},
      {"null", false},
      {R"({"matchLabels":{"a":"1"}})", true},
      {R"({"matchLabels":{"a":"2"}})", false},
      {R"({"matchExpressions":[{"key":"a","operator":"In","values":["1","3"]}]})", true},
      {R"({"matchExpressions":[{"key":"c","operator":"NotIn","values":["1"]}]})", true},
      {R"({"matchExpressions":[{"key":"c","operator":"Exists"}]})", false},
      {R"({"matchExpressions":[{"key":"c","operator":"DoesNotExist"}]})", true},
  };
  for (const auto& c : cases)
    EXPECT_EQ(SelectorMatches(*value::ReadJson(c.selector, arena), labels), c.matches) << c.selector;
}

}  // namespace
}  // namespace resources
