// Outcome: what a library function computes, or the text of the error value that the expression gets instead.
#pragma once

#include <expected>
#include <string>

namespace cel::library {

template <class T>
using Outcome = std::expected<T, std::string>;

// Bytes that a function may make in one call. A result that would be longer is an error: the costs of some functions
// do not grow with what they make ('a'.replace('', text)).
inline constexpr size_t kMostResultBytes = size_t{64} << 20;

inline std::unexpected<std::string> TooLong() { return std::unexpected<std::string>("result is too long"); }

}  // namespace cel::library
