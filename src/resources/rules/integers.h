// Whole numbers in strings, read as the real server's language reads them. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace resources {

struct ParsedInteger {
  int64_t value = 0;       // of a number out of range the nearest that is one; 0 of what is no number
  std::string_view error;  // "" of a good number; "invalid syntax" or "value out of range"
  bool ok() const { return error.empty(); }
};

// Decimal digits after an optional sign, and nothing else.
ParsedInteger ParseInteger(std::string_view text);

}  // namespace resources
