// Number texts: reading and writing doubles as the API does (encoding/json: the shortest text that reads back; exponent
// form below 1e-6 and from 1e21 on). No allocation.
#pragma once

#include <span>
#include <string_view>

namespace value {

inline constexpr size_t kMaxDoubleText = 32;

// Writes `d` into `buffer` and returns the text. `d` must be finite.
std::string_view FormatDouble(double d, std::span<char, kMaxDoubleText> buffer);

// The nearest double of a JSON number literal; infinite when out of range.
double ParseDouble(std::string_view literal);

}  // namespace value
