#include "apply/json_patch.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace apply {
namespace {

// The patched document, or "error".
std::string Patched(std::string_view document, std::string_view patch, const JsonPatchLimits& limits = {}) {
  value::Arena arena;
  base::Result<value::Value> result =
      ApplyJsonPatch(arena, *value::ReadJson(document, arena), *value::ReadJson(patch, arena), limits);
  return result ? value::ToJson(*result) : result.error().code == base::Code::kExhausted ? "exhausted" : "error";
}

TEST(JsonPatch, Operations) {
  struct {
    const char* name;
    const char* document;
    const char* patch;
    const char* result;
  } cases[] = {
      {"add", R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])", R"({"a":1,"b":2})"},
      {"add replaces", R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])", R"({"a":2})"},
      {"add without value is null", R"({"a":1})", R"([{"op":"add","path":"/b"}])", R"({"a":1,"b":null})"},
      {"add into list", R"({"a":[1,2]})", R"([{"op":"add","path":"/a/1","value":9}])", R"({"a":[1,9,2]})"},
      {"add at end", R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-","value":9}])", R"({"a":[1,2,9]})"},
      {"add at length", R"({"a":[1,2]})", R"([{"op":"add","path":"/a/2","value":9}])", R"({"a":[1,2,9]})"},
      {"add past the end", R"({"a":[1,2]})", R"([{"op":"add","path":"/a/3","value":9}])", "error"},
      {"add counts back from behind the end", R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-1","value":9}])",
       R"({"a":[1,2,9]})"},
      {"add too far back", R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-4","value":9}])", "error"},
      {"index with leading zero", R"({"a":[1,2]})", R"([{"op":"add","path":"/a/01","value":9}])", R"({"a":[1,9,2]})"},
      {"index with plus", R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/+1","value":9}])", R"({"a":[1,9]})"},
      {"index is a word", R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/x","value":9}])", "error"},
      {"index is a fraction", R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/1.0","value":9}])", "error"},
      {"index with blank", R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/ 1","value":9}])", "error"},
      {"remove", R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
      {"remove what is not there", R"({"a":1})", R"([{"op":"remove","path":"/b"}])", "error"},
      {"remove item", R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/-1"}])", R"({"a":[1,2]})"},
      {"replace", R"({"a":1})", R"([{"op":"replace","path":"/a","value":{"b":2}}])", R"({"a":{"b":2}})"},
      {"replace a missing member", R"({"a":1})", R"([{"op":"replace","path":"/b","value":2}])", R"({"a":1,"b":2})"},
      {"replace a missing item", R"({"a":[1]})", R"([{"op":"replace","path":"/a/1","value":2}])", "error"},
      {"replace the root", R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])", R"({"b":2})"},
      {"replace the root by a scalar", R"({"a":1})", R"([{"op":"replace","path":"","value":2}])", R"({"a":1})"},
      {"move", R"({"a":1})", R"([{"op":"move","from":"/a","path":"/b"}])", R"({"b":1})"},
      {"move without from", R"({"a":1})", R"([{"op":"move","path":"/b"}])", "error"},
      {"move into itself", R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b"}])", "error"},
      {"copy of something empty", R"({"a":{"b":{},"c":[]}})", R"([{"op":"copy","from":"/a","path":"/d"}])",
       R"({"a":{"b":{},"c":[]},"d":{"b":{},"c":[]}})"},
      {"copy", R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/c"},{"op":"add","path":"/c/b","value":2}])",
       R"({"a":{"b":1},"c":{"b":2}})"},
      {"of repeated fields the last counts", R"({"a":1})",
       R"([{"op":"remove","path":"/b","value":2,"op":"add","path":"/a","value":3}])", R"({"a":3})"},
      {"test holds", R"({"a":{"b":[1,"x"]}})", R"([{"op":"test","path":"/a","value":{"b":[1,"x"]}}])",
       R"({"a":{"b":[1,"x"]}})"},
      {"test fails", R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])", "error"},
      {"test of numbers goes by their text", R"({"a":2})", R"([{"op":"test","path":"/a","value":2.0}])", "error"},
      {"test of a missing member against null", R"({"a":1})", R"([{"op":"test","path":"/b","value":null}])",
       R"({"a":1})"},
      {"test of a missing member", R"({"a":1})", R"([{"op":"test","path":"/b","value":1}])", "error"},
      {"escapes", R"({"a/b":1,"c~d":2})", R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/c~0d"}])",
       R"({})"},
      {"escapes are undone once", R"({"~1":1})", R"([{"op":"remove","path":"/~01"}])", R"({})"},
      {"through a scalar", R"({"a":1})", R"([{"op":"add","path":"/a/b","value":1}])", "error"},
      {"through a missing member", R"({"a":1})", R"([{"op":"add","path":"/b/c","value":1}])", "error"},
      {"unknown operation", R"({"a":1})", R"([{"op":"Add","path":"/b","value":1}])", "error"},
      {"no path", R"({"a":1})", R"([{"op":"add","value":1}])", "error"},
      {"null path", R"({"a":1})", R"([{"op":"add","path":null,"value":1}])", "error"},
      {"path without slash", R"({"a":1})", R"([{"op":"add","path":"b","value":1}])", "error"},
      {"all or nothing", R"({"a":1})", R"([{"op":"add","path":"/b","value":1},{"op":"remove","path":"/c"}])", "error"},
      {"what is walked through is sorted", R"({"z":{"y":1,"x":2},"b":{"d":1,"c":2}})",
       R"([{"op":"add","path":"/z/a","value":1}])", R"({"b":{"d":1,"c":2},"z":{"a":1,"x":2,"y":1}})"},
  };
  for (const auto& c : cases) EXPECT_EQ(Patched(c.document, c.patch), c.result) << c.name;
}

TEST(JsonPatch, LimitsHoldAtTheirValue) {
  EXPECT_EQ(Patched("{}", R"([{"op":"add","path":"/a"},{"op":"add","path":"/a"}])", {.operations = 2}),
            R"({"a":null})");
  EXPECT_EQ(Patched("{}", R"([{"op":"add","path":"/a"},{"op":"add","path":"/a"}])", {.operations = 1}), "exhausted");
  const char* copies = R"([{"op":"copy","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/c"}])";
  EXPECT_EQ(Patched(R"({"a":"xyz"})", copies, {.copied_bytes = 10}), R"({"a":"xyz","b":"xyz","c":"xyz"})");
  EXPECT_EQ(Patched(R"({"a":"xyz"})", copies, {.copied_bytes = 9}), "exhausted");
}

TEST(JsonPatch, TheDocumentStaysAsItWas) {
  value::Arena arena;
  value::Value document = *value::ReadJson(R"({"b":{"z":1,"a":2},"a":[1]})", arena);
  ASSERT_TRUE(ApplyJsonPatch(
      arena, document,
      *value::ReadJson(R"([{"op":"add","path":"/b/c","value":1},{"op":"add","path":"/a/-","value":1}])", arena)));
  EXPECT_EQ(value::ToJson(document), R"({"b":{"z":1,"a":2},"a":[1]})");
}

std::string Nested(size_t depth, std::string_view innermost) {
  std::string text;
  for (size_t i = 0; i < depth; ++i) text += R"({"a":)";
  text += innermost;
  text.append(depth, '}');
  return text;
}
std::string PathDown(size_t depth) {
  std::string path;
  for (size_t i = 0; i < depth; ++i) path += "/a";
  return path;
}

TEST(JsonPatch, HoldsTheDocumentsDepth) {
  const JsonPatchLimits limits{.depth = 20};
  const auto grown = [&](std::string_view operation, std::string_view from, size_t at, std::string_view value) {
    return Patched(Nested(10, "{}"),
                   base::Cat(R"([{"op":")", operation, R"(","from":")", from, R"(","path":")", PathDown(at),
                             R"(/b","value":)", value, "}]"),
                   limits);
  };
  EXPECT_NE(grown("add", "", 10, Nested(8, "{}")), "error");
  EXPECT_EQ(grown("add", "", 10, Nested(9, "{}")), "error");
  EXPECT_NE(grown("copy", "/a/a", 10, "0"), "error");
  EXPECT_EQ(grown("copy", "/a", 10, "0"), "error");
  EXPECT_EQ(Patched(Nested(10, "{}"), R"([{"op":"replace","path":"","value":)" + Nested(19, "{}") + "}]", limits),
            Nested(19, "{}"));
  // Two branches that each fit become one that does not.
  const std::string branches = base::Cat(R"({"a":)", Nested(11, "{}"), R"(,"b":)", Nested(11, "{}"), "}");
  EXPECT_EQ(Patched(branches, base::Cat(R"([{"op":"move","from":"/b","path":")", PathDown(12), R"(/b"}])"), limits),
            "error");
  EXPECT_NE(Patched(branches, base::Cat(R"([{"op":"move","from":"/b","path":")", PathDown(6), R"(/b"}])"), limits),
            "error");
  // What became shallow again may grow again.
  EXPECT_NE(Patched(branches,
                    base::Cat(R"([{"op":"remove","path":"/b/a"},{"op":"move","from":"/b","path":")", PathDown(12),
                              R"(/b"}])"),
                    limits),
            "error");
}

// Copies of a value into its own innermost one double the depth each time.
TEST(JsonPatch, CopiesIntoTheInnermostValueEndAtTheBound) {
  std::string patch;
  for (size_t depth = 5000; patch.size() < 1'000'000; depth *= 2)
    base::Append(patch, patch.empty() ? "[" : ",", R"({"op":"copy","from":"/a","path":")", PathDown(depth), R"(/a"})");
  EXPECT_EQ(Patched(Nested(5000, "{}"), patch + "]"), "error");
}

TEST(JsonPatch, BoundsWhatMakesRoom) {
  const std::string_view front = R"([{"op":"add","path":"/0","value":1},{"op":"move","from":"/0","path":"/3"}])";
  EXPECT_EQ(Patched("[7,8,9]", front, {.steps = 7}), "[7,8,9,1]");
  EXPECT_EQ(Patched("[7,8,9]", front, {.steps = 6}), "exhausted");
}

// A test of what was taken apart looks at it in place.
TEST(JsonPatch, TestsOfAPatchedDocumentCopyNothing) {
  value::Arena arena;
  const std::string document = R"({"list":[)" + [] {
    std::string items = "1";
    for (int i = 0; i < 10'000; ++i) items += ",1";
    return items;
  }() + R"(],"x":{"y":1}})";
  std::string patch = R"([{"op":"add","path":"/list/-","value":1})";
  for (int i = 0; i < 2000; ++i) patch += R"(,{"op":"test","path":"/x","value":{"y":1}})";
  patch += R"(,{"op":"test","path":"","value":{"x":{"y":1},"list":[]}}])";
  const auto read = value::ReadJson(patch, arena);
  const auto live = value::ReadJson(document, arena);
  const size_t before = arena.allocated();
  EXPECT_FALSE(ApplyJsonPatch(arena, *live, *read));
  EXPECT_LT(arena.allocated() - before, 2U << 20);
}

}  // namespace
}  // namespace apply
