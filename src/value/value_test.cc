// The document tree: changes, copies and equality.
#include "value/value.h"

#include "gtest/gtest.h"
#include "value/identical.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace value {
namespace {

bool EqualTexts(std::string_view a, std::string_view b) {
  Arena arena;
  return Equal(*ReadJson(a, arena), *ReadJson(b, arena));
}

TEST(Equal, JudgesAsJsonDocuments) {
  EXPECT_TRUE(EqualTexts(R"({"a":1,"b":[1,2]})", R"({"b":[1,2],"a":1})"));
  EXPECT_TRUE(EqualTexts("1", "1.0"));
  EXPECT_TRUE(EqualTexts(R"({"a":1,"a":2})", R"({"a":2})"));
  EXPECT_TRUE(EqualTexts(R"({"a":1,"a":2})", R"({"a":3,"a":2})"));
  EXPECT_FALSE(EqualTexts(R"({"a":1,"a":2})", R"({"a":1})"));
  EXPECT_FALSE(EqualTexts(R"({"a":1,"b":2})", R"({"a":1,"c":2})"));
  EXPECT_FALSE(EqualTexts(R"({"a":1})", R"({"a":1,"b":null})"));
  EXPECT_FALSE(EqualTexts("[1,2]", "[2,1]"));
  EXPECT_FALSE(EqualTexts("\"1\"", "1"));
}

TEST(Equal, LargeObjectsInAnyOrder) {
  Arena arena;
  Value forward = Value::Object(arena), backward = Value::Object(arena);
  for (int i = 0; i < 50000; ++i) forward.Add(arena, arena.CopyString(std::to_string(i)), Value::Int(i));
  for (int i = 50000; i-- > 0;) backward.Add(arena, arena.CopyString(std::to_string(i)), Value::Int(i));
  EXPECT_TRUE(Equal(forward, backward));
  backward.members()[7].value = Value::Int(-1);
  EXPECT_FALSE(Equal(forward, backward));
}

TEST(Identical, MindsOrderTextAndSource) {
  struct {
    const char* a;
    const char* b;
    bool identical;
  } cases[] = {
      {R"({"a":[1,"x",null,true,1.5],"b":{}})", R"({"a":[1,"x",null,true,1.5],"b":{}})", true},
      {R"({"a":1,"b":2})", R"({"b":2,"a":1})", false},
      {R"({"a":1})", R"({"a":1,"b":2})", false},
      {R"({"a":1})", R"({"b":1})", false},
      {R"([1,2])", R"([1,3])", false},
      {R"([1.0])", R"([1.00])", false},
      {R"([1])", R"(["1"])", false},
      {R"([])", R"({})", false},
      {R"([true])", R"([false])", false},
      {R"({"a":{"b":1}})", R"({"a":{"b": 1}})", false},
  };
  for (const auto& c : cases) {
    Arena arena;
    EXPECT_EQ(Identical(*ReadJson(c.a, arena), *ReadJson(c.b, arena)), c.identical) << c.a << " " << c.b;
  }
}

TEST(KeepLastOfDuplicates, KeepsTheFirstPlaceAndTheLastValue) {
  Arena arena;
  Value v = *ReadJson(R"({"a":1,"b":2,"a":3,"c":4,"b":5})", arena);
  KeepLastOfDuplicates(v);
  EXPECT_EQ(ToJson(v), R"({"a":3,"b":5,"c":4})");
}

TEST(Value, ChangesKeepOrder) {
  Arena arena;
  Value v = *ReadJson(R"({"a":1,"b":[1,2],"c":3})", arena);
  v.Set(arena, "b", Value::Bool(true));
  v.Set(arena, "d", Value());
  EXPECT_TRUE(v.Remove("a"));
  EXPECT_FALSE(v.Remove("a"));
  Value list = Value::Array(arena);
  for (int i = 0; i < 6; ++i) list.Append(arena, Value::Int(i));
  list.Insert(arena, 1, Value::Int(9));
  list.Erase(0);
  v.Add(arena, "e", list);
  EXPECT_EQ(ToJson(v), R"({"b":true,"c":3,"d":null,"e":[9,1,2,3,4,5]})");
}

TEST(DeepCopy, SharesNothing) {
  Arena first, second;
  std::string text = R"({"a":["x",1.50,{"b":null}]})";
  Value copy;
  {
    Arena gone;
    copy = DeepCopy(second, *ReadJson(text, gone));
  }
  text.assign(text.size(), '?');
  EXPECT_EQ(ToJson(copy), R"({"a":["x",1.5,{"b":null}]})");
}

TEST(Find, LooksLargeObjectsThroughInAnyOrder) {
  Arena arena;
  std::string rising = "{", falling = "{", twice = "{";
  for (int i = 100; i < 200; ++i) {
    const std::string member = "\"k" + std::to_string(i) + "\":" + std::to_string(i);
    rising += (i > 100 ? "," : "") + member;
    falling += (i > 100 ? ",\"k" : "\"k") + std::to_string(299 - i) + "\":" + std::to_string(299 - i);
    twice += (i > 100 ? "," : "") + member + ",\"k" + std::to_string(i) + "\":0";
  }
  for (std::string* text : {&rising, &falling, &twice}) {
    const Value object = *ReadJson(*text += "}", arena);
    for (int i = 100; i < 200; ++i) {
      const Value* found = object.Find("k" + std::to_string(i));
      ASSERT_NE(found, nullptr) << *text;
      EXPECT_EQ(found->AsInt(), i) << *text;
    }
    for (const char* absent : {"", "k", "k0", "k150a", "k2", "l"}) EXPECT_EQ(object.Find(absent), nullptr) << absent;
    object.Add(arena, "a", Value::Int(1));
    EXPECT_NE(object.Find("a"), nullptr) << "behind larger keys";
    EXPECT_TRUE(object.Remove("k150"));
    EXPECT_EQ(object.Find("k150"), nullptr);
    EXPECT_NE(object.Find("k199"), nullptr);
  }
}

}  // namespace
}  // namespace value
