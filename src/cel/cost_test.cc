#include "cel/cost.h"

#include <gtest/gtest.h>

#include "cel/declaration.h"
#include "cel/program.h"
#include "cel/rates.h"

namespace cel {
namespace {

CostRange Estimate(std::string_view text) {
  auto declarations = std::make_shared<Declarations>();
  Declaration* item = declarations->New();
  item->type = &kStringType;
  item->max_size = 100;
  Declaration* list = declarations->New();
  list->reading = Reading::kList;
  list->element = item;
  list->type = declarations->types().List(&kStringType);
  list->max_size = 10;
  Environment::Builder builder;
  builder.Declare("list", list).Keep(declarations);
  auto checked = Check(builder.Build(), text);
  EXPECT_TRUE(checked) << text;
  return checked ? checked->EstimateCost() : CostRange{};
}

TEST(Cost, IsEstimatedWithDeclaredSizes) {
  EXPECT_EQ(Estimate("1"), (CostRange{0, 0}));
  EXPECT_EQ(Estimate("list"), (CostRange{1, 1}));
  // The range, and for each of ten items: condition 2, accumulator 1, item 1, the comparison of at most one character.
  EXPECT_EQ(Estimate("list.all(s, s == 'a')"), (CostRange{2, 52}));
  EXPECT_EQ(Estimate("list.all(s, s.startsWith('abc'))"), (CostRange{2, 52}));
  EXPECT_EQ(Estimate("list.join(',')"), (CostRange{1, 102}));
}

TEST(Cost, OfAConditionIsThatOfEitherBranch) {
  EXPECT_EQ(Estimate("list.size() > 1 ? 'a' : list[0]"), (CostRange{3, 5}));
  EXPECT_EQ(Estimate("list.size() > 1 && list.size() < 5"), (CostRange{3, 6}));
}

TEST(Rates, Saturate) {
  EXPECT_EQ(rates::Add(UINT64_MAX, 1), UINT64_MAX);
  EXPECT_EQ(rates::Multiply(UINT64_MAX / 2, 3), UINT64_MAX);
  EXPECT_EQ(rates::Scale(UINT64_MAX, 2), UINT64_MAX);
  EXPECT_EQ(rates::Scale(uint64_t{1}, 0.1), 1U);
}

TEST(Rates, TenthsAreTheProductRoundedUp) {
  for (uint64_t size = 0; size < 5000; ++size) EXPECT_EQ(rates::Tenth(size), rates::Scale(size, 0.1)) << size;
}

TEST(Rates, SizeAfterReplacing) {
  EXPECT_EQ(rates::ReplacedSize({3, 3}, {1, 1}, {0, 0}), (SizeRange{0, 3}));
  EXPECT_EQ(rates::ReplacedSize({4, 4}, {0, 1}, {0, 2}), (SizeRange{0, 14}));
}

}  // namespace
}  // namespace cel
