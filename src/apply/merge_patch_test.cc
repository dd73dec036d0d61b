#include "apply/merge_patch.h"

#include <gtest/gtest.h>

#include <string>

#include "value/json_reader.h"
#include "value/json_writer.h"

namespace apply {
namespace {

TEST(MergePatch, Cases) {
  struct {
    const char* name;
    const char* document;
    const char* patch;
    const char* result;
  } cases[] = {
      {"adds", R"({"a":1})", R"({"b":2})", R"({"a":1,"b":2})"},
      {"replaces", R"({"a":1})", R"({"a":"x"})", R"({"a":"x"})"},
      {"null removes", R"({"a":1,"b":2})", R"({"a":null})", R"({"b":2})"},
      {"null of what is absent", R"({"a":1})", R"({"b":null})", R"({"a":1})"},
      {"goes into objects", R"({"a":{"b":1,"c":2}})", R"({"a":{"b":null,"d":3}})", R"({"a":{"c":2,"d":3}})"},
      {"lists are replaced", R"({"a":[1,2]})", R"({"a":[3]})", R"({"a":[3]})"},
      {"object for a scalar", R"({"a":1})", R"({"a":{"b":1,"c":null}})", R"({"a":{"b":1}})"},
      {"scalar for an object", R"({"a":{"b":1}})", R"({"a":2})", R"({"a":2})"},
      {"nulls in what is new vanish", R"({})", R"({"a":{"b":null,"c":{"d":null}}})", R"({"a":{"c":{}}})"},
      {"nulls in new lists stay", R"({})", R"({"a":[null,{"b":null}]})", R"({"a":[null,{}]})"},
      {"a null in the document is as absent", R"({"a":null})", R"({"a":{"b":null}})", R"({"a":{}})"},
      {"of duplicates the last counts", R"({"a":1})", R"({"a":2,"a":null})", R"({})"},
      {"objects walked through are sorted", R"({"z":1,"b":{"y":1,"x":2}})", R"({"c":3})",
       R"({"b":{"y":1,"x":2},"c":3,"z":1})"},
      {"what takes a list's place is sorted, and has no nulls", R"({"a":[1]})", R"({"a":[{"z":1,"b":null,"c":2}]})",
       R"({"a":[{"c":2,"z":1}]})"},
      {"what takes an object's place is not", R"({"a":{}})", R"({"a":[{"z":1,"b":null}]})",
       R"({"a":[{"z":1,"b":null}]})"},
      {"the patch is no object", R"({"a":1})", R"([1])", "[1]"},
  };
  for (const auto& c : cases) {
    value::Arena arena;
    value::Value document = *value::ReadJson(c.document, arena);
    EXPECT_EQ(value::ToJson(ApplyMergePatch(arena, document, *value::ReadJson(c.patch, arena))), c.result) << c.name;
    EXPECT_EQ(value::ToJson(document), c.document) << c.name << ": the document changed";
  }
}

}  // namespace
}  // namespace apply
