// Sets of indexes of an Indexed job, as its status and success policy write them: "1,3-5,7". Pure; any thread; linear
// in the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace resources::batch {

struct IndexRanges {
  int32_t total = 0;  // how many indexes there are; wraps as 32 bits do
  std::string error;  // what is wrong, as the real server says it; "" nothing
};

// Reads `text`: growing ranges of indexes below `completions`.
IndexRanges ReadIndexRanges(std::string_view text, int64_t completions);

// What is said of an index in both sets; "" if there is none. Ranges that cannot be read are passed over.
std::string FindOverlap(std::string_view completed, std::string_view failed, int64_t completions);

}  // namespace resources::batch
