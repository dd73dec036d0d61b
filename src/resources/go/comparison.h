// The comparison of two Go values as a tree: what was compared with what, and how much of it differs. Made for
// difference.h. Pure; any thread.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "resources/go/go_values.h"

namespace resources::go {

struct Comparison {
  std::string_view key;                       // of a struct's field or a map's entry
  GoValue x, y;                               // one may be no value
  Kind parent = Kind::kBool;                  // what holds this: a struct, a list, a map, a pointer; else no matter
  int same = 0, differing = 0, compared = 0;  // leaves; those that a method compared
  int descendants = 0, depth = 0;
  std::vector<Comparison> parts;       // fields, items, entries
  std::unique_ptr<Comparison> target;  // of two pointers

  std::string_view type() const { return x.valid() ? x.type() : y.type(); }
};

Comparison Compare(const GoValue& x, const GoValue& y, Kind parent = Kind::kBool);

}  // namespace resources::go
