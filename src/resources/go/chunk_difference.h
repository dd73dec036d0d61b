// Differences of long texts and of lists of numbers, in pieces of one width. Made for difference.h. Pure; any thread.
#pragma once

#include "resources/go/comparison.h"
#include "resources/go/value_text.h"

namespace resources {

// Whether the two values are shown so: texts of 32 bytes and more, lists of numbers.
bool CanDifferInChunks(const go::Comparison& v);
text::NodePtr FormatChunks(const go::Options& options, const go::Comparison& v);

}  // namespace resources
