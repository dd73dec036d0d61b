// Identical: whether two trees are the same to the letter. A much cheaper question than Equal, for those who can do
// without a closer look where the answer is yes. Pure; any thread; recursion goes as deep as the trees.
#pragma once

#include "value/value.h"

namespace value {

// The same members in the same order, the same items, the same texts (of numbers, and of what containers were read
// from). Trees that are Equal need not be identical; identical ones are Equal.
bool Identical(const Value& a, const Value& b);

}  // namespace value
