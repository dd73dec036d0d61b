// Functions on lists: those of the API server's list library and the sets library. Comparisons of items are those of
// the language. Pure; any thread. Linear in the list, sets in the product of both (which is what they cost).
#pragma once

#include <cstdint>

#include "cel/value.h"
#include "value/arena.h"

namespace cel::library {

// Whether no item is greater than the next one. Items that cannot be compared with each other are in order.
Value IsSorted(const Value& list);
// `zero` plus all items.
Value Sum(const Value& list, const Value& zero);
Value Min(const Value& list);
Value Max(const Value& list);
// The first or last item that equals `item`; -1 without one. Ends early, with -1, when `steps` run out.
int64_t IndexOf(const Value& list, const Value& item, Steps& steps);
int64_t LastIndexOf(const Value& list, const Value& item, Steps& steps);

bool SetContains(const Value& list, const Value& part, Steps& steps);
bool SetEquivalent(const Value& a, const Value& b, Steps& steps);
bool SetIntersects(const Value& a, const Value& b, Steps& steps);

}  // namespace cel::library
