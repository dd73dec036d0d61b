#include "cel/library/quantity.h"

#include <gtest/gtest.h>

#include <limits>

namespace cel::library {
namespace {

TEST(Quantity, ReadsQuantities) {
  EXPECT_TRUE(IsQuantity("1.5Gi"));
  EXPECT_FALSE(IsQuantity("10 Mo"));
  EXPECT_EQ(ParseQuantity("10ki").error(), "unable to parse quantity's suffix");
  EXPECT_EQ(ParseQuantity("").error(),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

TEST(Quantity, IsAnIntegerOrNot) {
  EXPECT_EQ(AsInteger(*ParseQuantity("50k")), 50'000);
  EXPECT_EQ(AsInteger(*ParseQuantity("50m")).error(), "cannot convert value to integer");
  EXPECT_EQ(AsInteger(*ParseQuantity("9999999999999999999999")).error(), "cannot convert value to integer");
}

TEST(Quantity, IsAFloatNearby) {
  EXPECT_EQ(ParseQuantity("50m")->AsDouble(), 0.05);
  EXPECT_EQ(ParseQuantity("-1.5Gi")->AsDouble(), -1610612736.0);
  EXPECT_EQ(ParseQuantity("1e300")->AsDouble(), 1e300);
  EXPECT_EQ(ParseQuantity("12345678901234567890123456789")->AsDouble(), 12345678901234567890123456789.0);
}

TEST(Quantity, AddsAndSubtracts) {
  const api::Quantity base = *ParseQuantity("50k");
  EXPECT_EQ(Sum(base, *ParseQuantity("20")).text(), "50020");
  EXPECT_EQ(Sum(base, QuantityOf(20)).text(), "50020");
  EXPECT_EQ(Difference(base, QuantityOf(-7)).text(), "50007");
  EXPECT_EQ(Difference(base, *ParseQuantity("100k")).Sign(), -1);
  EXPECT_EQ(base.text(), "50k");
  // As the real server: the least number has no opposite.
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Difference(*ParseQuantity("0"), QuantityOf(least)).text(), "-9223372036854775808");
}

}  // namespace
}  // namespace cel::library
