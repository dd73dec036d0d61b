#include "cel/value.h"

#include <gtest/gtest.h>

#include "cel/declaration.h"
#include "cel/text.h"
#include "cel/to_document.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace cel {
namespace {

bool Same(const Value& a, const Value& b) {
  Steps steps{1000};
  return Equal(a, b, steps);
}

TEST(EntryMap, FindsFewAndMany) {
  value::Arena arena;
  EntryMap map;
  for (int i = 0; i < 100; ++i) map.Set(arena, Value::Int(i), Value::Int(i * 2));
  map.Set(arena, Value::Int(5), Value::Int(0));
  EXPECT_EQ(map.size, 100U);
  EXPECT_EQ(map.Find(Value::Int(5))->AsInt(), 0);
  EXPECT_EQ(map.Find(Value::Int(99))->AsInt(), 198);
  EXPECT_EQ(map.Find(Value::Uint(7))->AsInt(), 14);
  EXPECT_EQ(map.Find(Value::Double(7.0))->AsInt(), 14);
  EXPECT_EQ(map.Find(Value::Double(7.5)), nullptr);
  EXPECT_EQ(map.Find(Value::String("7")), nullptr);
  map.Remove(Value::Int(5));
  EXPECT_EQ(map.Find(Value::Int(5)), nullptr);
  EXPECT_EQ(map.Find(Value::Int(6))->AsInt(), 12);
}

TEST(Value, NumbersEqualAcrossKinds) {
  EXPECT_TRUE(Same(Value::Int(1), Value::Double(1)));
  EXPECT_TRUE(Same(Value::Uint(1), Value::Int(1)));
  EXPECT_FALSE(Same(Value::Int(-1), Value::Uint(UINT64_MAX)));
  EXPECT_FALSE(Same(Value::Int(1), Value::Bool(true)));
  EXPECT_TRUE(Same(Value(), Value()));
}

TEST(Value, ListsInTwoPartsReadAsOne) {
  Value a[] = {Value::Int(1), Value::Int(2)};
  Value b[] = {Value::Int(3)};
  ConcatList both{Value::List(a), Value::List(b)};
  Value list = Value::Concat(&both, 3);
  EXPECT_EQ(Shown(list), "[1, 2, 3]");
  Value c[] = {Value::Int(1), Value::Int(2), Value::Int(3)};
  EXPECT_TRUE(Same(list, Value::List(c)));
}

TEST(Value, ComparingEndsWithItsSteps) {
  std::vector<Value> items(100, Value::Int(1));
  Steps steps{10};
  EXPECT_FALSE(Equal(Value::List(items), Value::List(items), steps));
  EXPECT_EQ(steps.left, 0U);
}

TEST(Value, SetsAndMapListsCompareAsSuch) {
  value::Arena arena;
  auto left = value::ReadJson(R"(["a","b"])", arena);
  auto right = value::ReadJson(R"(["b","a"])", arena);
  Declaration plain, set;
  set.list = ListSemantics::kSet;
  EXPECT_FALSE(Same(Value::Document(*left, &plain), Value::Document(*right, &plain)));
  EXPECT_TRUE(Same(Value::Document(*left, &set), Value::Document(*right, &set)));
}

TEST(Value, ReadsDocumentsAsDeclared) {
  value::Arena arena;
  auto document = value::ReadJson(R"({"at":"2024-01-01T00:00:00Z","n":1,"wrong":"x","gone":null})", arena);
  Declaration at{.type = &kTimestampType, .reading = Reading::kTimestamp, .strict = true};
  Declaration number{.type = &kDoubleType, .reading = Reading::kDouble, .strict = true};
  Declaration wrong{.type = &kIntType, .reading = Reading::kInt, .strict = true};
  Declaration object;
  object.reading = Reading::kObject;
  object.fields = {{"at", "at", &at, false},
                   {"gone", "gone", &at, false},
                   {"n", "n", &number, false},
                   {"wrong", "wrong", &wrong, false}};
  Value value = Value::Document(*document, &object);
  Value field;
  ASSERT_TRUE(FindField(value, "at", field));
  EXPECT_EQ(TypeName(field), "google.protobuf.Timestamp");
  ASSERT_TRUE(FindField(value, "n", field));
  EXPECT_EQ(TypeName(field), "double");
  ASSERT_TRUE(FindField(value, "wrong", field));
  EXPECT_TRUE(field.is_error());
  EXPECT_FALSE(FindField(value, "gone", field));
  EXPECT_FALSE(FindField(value, "other", field));
}

TEST(ToDocument, GivesTextsAndRefusesErrors) {
  value::Arena arena;
  EntryMap map;
  map.Set(arena, Value::String("d"), Value::Duration(1'500'000'000));
  map.Set(arena, Value::Int(1), Value::Bytes("abc"));
  map.Set(arena, Value::String("none"), Value::None());
  auto document = ToDocument(Value::Map(&map), arena);
  ASSERT_TRUE(document);
  EXPECT_EQ(value::ToJson(*document), R"({"d":"1.5s","1":"YWJj","none":null})");
  EXPECT_FALSE(ToDocument(Value::Error("no"), arena));
}

TEST(MapList, IsSearchedByItsKeys) {
  value::Arena arena;
  auto list = value::ReadJson(R"([5,{"k":"a","v":1},{"k":"b","v":2}])", arena);
  auto like = value::ReadJson(R"({"k":"b"})", arena);
  const std::string keys[] = {"k"};
  const value::Value* found = FindInMapList(*list, keys, *like);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->Find("v")->AsInt(), 2);
  EXPECT_EQ(FindInMapList(*list, {}, *like), nullptr);
}

}  // namespace
}  // namespace cel
