#include "cel/library/lists.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace cel::library {
namespace {

using Items = std::vector<Value>;

Value Ints(Items& items, std::initializer_list<int64_t> numbers) {
  items.clear();
  for (const int64_t number : numbers) items.push_back(Value::Int(number));
  return Value::List(items);
}

TEST(Lists, KnowOrder) {
  Items items;
  EXPECT_TRUE(IsSorted(Ints(items, {1, 2, 2, 3})).is_true());
  EXPECT_TRUE(IsSorted(Ints(items, {1, 3, 2})).is_false());
  EXPECT_TRUE(IsSorted(Ints(items, {})).is_true());
  items = {Value::String("a"), Value::Int(1)};
  EXPECT_TRUE(IsSorted(Value::List(items)).is_true());  // what cannot be compared is in order
  items = {Value::None()};
  EXPECT_EQ(IsSorted(Value::List(items)).text(), "no such overload");
}

TEST(Lists, FindTheLeastAndTheMost) {
  Items items;
  EXPECT_EQ(Min(Ints(items, {3, 1, 2})).AsInt(), 1);
  EXPECT_EQ(Max(Ints(items, {3, 1, 2})).AsInt(), 3);
  EXPECT_EQ(Min(Ints(items, {})).text(), "min called on empty list");
  EXPECT_EQ(Max(Ints(items, {})).text(), "max called on empty list");
  items = {Value::Int(1), Value::Double(1.5), Value::Uint(2)};
  EXPECT_EQ(Max(Value::List(items)).AsUint(), 2u);
}

TEST(Lists, AddUp) {
  Items items;
  EXPECT_EQ(Sum(Ints(items, {1, 2, 3}), Value::Int(0)).AsInt(), 6);
  EXPECT_EQ(Sum(Ints(items, {std::numeric_limits<int64_t>::max(), 1}), Value::Int(0)).text(), "integer overflow");
  items = {Value::Duration(5), Value::Timestamp(1, 0), Value::Duration(1)};
  const Value time = Sum(Value::List(items), Value::Duration(0));
  EXPECT_EQ(time.seconds(), 1);
  EXPECT_EQ(time.subsecond(), 6u);
  items = {Value::Int(1), Value::Double(1)};
  EXPECT_EQ(Sum(Value::List(items), Value::Int(0)).text(), "no such overload");
}

TEST(Lists, FindItems) {
  Items items;
  Steps steps{1000};
  EXPECT_EQ(IndexOf(Ints(items, {7, 8, 7}), Value::Double(7), steps), 0);
  EXPECT_EQ(LastIndexOf(Ints(items, {7, 8, 7}), Value::Uint(7), steps), 2);
  EXPECT_EQ(IndexOf(Ints(items, {7, 8, 7}), Value::String("7"), steps), -1);
  EXPECT_EQ(LastIndexOf(Ints(items, {}), Value::Int(7), steps), -1);
}

TEST(Lists, AreSets) {
  Items a, b;
  Steps steps{1000};
  EXPECT_TRUE(SetContains(Ints(a, {1, 2, 3}), Ints(b, {3, 3, 1}), steps));
  EXPECT_FALSE(SetContains(Ints(a, {1, 2}), Ints(b, {1, 4}), steps));
  EXPECT_TRUE(SetContains(Ints(a, {}), Ints(b, {}), steps));
  EXPECT_TRUE(SetEquivalent(Ints(a, {1, 2, 1}), Ints(b, {2, 1}), steps));
  EXPECT_FALSE(SetEquivalent(Ints(a, {1, 2}), Ints(b, {1}), steps));
  EXPECT_TRUE(SetIntersects(Ints(a, {1, 2}), Ints(b, {5, 2}), steps));
  EXPECT_FALSE(SetIntersects(Ints(a, {1, 2}), Ints(b, {}), steps));
}

}  // namespace
}  // namespace cel::library
