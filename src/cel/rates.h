// The arithmetic of costs and the rates that the estimate and the evaluation share. Sums and products saturate, parts
// of a unit are rounded up.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cel/cost.h"

namespace cel::rates {

inline uint64_t Add(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<uint64_t>::max() : sum;
}
inline uint64_t Multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<uint64_t>::max() : product;
}
// The size times 0.1, rounded up, of small sizes.
inline constexpr auto kTenths = [] {
  std::array<uint8_t, 1024> table{};
  for (size_t i = 0; i < table.size(); ++i) {
    double product = static_cast<double>(i) * 0.1;
    auto whole = static_cast<uint8_t>(product);
    table[i] = static_cast<uint8_t>(whole + (product > whole ? 1 : 0));
  }
  return table;
}();
inline uint64_t Tenth(uint64_t size) {
  if (size < kTenths.size()) return kTenths[size];
  return static_cast<uint64_t>(std::ceil(static_cast<double>(size) * 0.1));
}
inline uint64_t Scale(uint64_t size, double factor) {
  double product = std::ceil(static_cast<double>(size) * factor);
  return product >= 0x1p64 ? std::numeric_limits<uint64_t>::max() : static_cast<uint64_t>(product);
}
inline CostRange Add(CostRange a, CostRange b) { return {Add(a.min, b.min), Add(a.max, b.max)}; }
inline CostRange Multiply(CostRange a, CostRange b) { return {Multiply(a.min, b.min), Multiply(a.max, b.max)}; }
inline CostRange Scale(CostRange size, double factor) { return {Scale(size.min, factor), Scale(size.max, factor)}; }

// A selector's parsing: a list, its text, a requirement each two characters.
inline CostRange Selector(SizeRange length) {
  return Add(Add({10, 10}, Scale(length, 0.1)), Scale(Scale(length, 0.5), 50));
}

// The size of a text after replace().
inline SizeRange ReplacedSize(SizeRange text, SizeRange from, SizeRange to) {
  SizeRange count, kept;
  if (from.min == 0) {
    count.max = Add(text.max, 1);
    kept.max = text.max;
  } else if (to.max <= from.min) {
    kept.max = text.max;
  } else {
    count.max = Scale(1, std::ceil(static_cast<double>(text.max) / static_cast<double>(from.min)));
  }
  if (from.max == 0) {
    count.min = Add(text.min, 1);
    kept.min = text.min;
  } else if (from.max <= to.min) {
    kept.min = text.min;
  } else {
    count.min = Scale(1, std::ceil(static_cast<double>(text.min) / static_cast<double>(from.max)));
  }
  return Add(Multiply(count, to), kept);
}

}  // namespace cel::rates
