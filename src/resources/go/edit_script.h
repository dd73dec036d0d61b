// How one list becomes another, step by step, as Go's comparison finds it: not always the shortest way, but found in
// linear time.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"

namespace resources::text {

enum class Edit : uint8_t { kSame, kRemoved, kInserted, kModified };

// How much two items are alike.
struct Likeness {
  int same = 0, differing = 0;  // leaves
  bool equal() const { return differing == 0; }
  bool similar() const { return same + 1 >= differing; }
};

// Likeness of item `x` of the one list and item `y` of the other.
using Compare = absl::FunctionRef<Likeness(int x, int y)>;

std::vector<Edit> EditScript(int size_x, int size_y, Compare compare);

}  // namespace resources::text
