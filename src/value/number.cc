#include "value/number.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace value {

std::string_view FormatDouble(double d, std::span<char, kMaxDoubleText> buffer) {
  double magnitude = std::fabs(d);
  bool exponent = magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21);
  char* begin = buffer.data();
  auto [end, error] = std::to_chars(begin, begin + buffer.size(), d,
                                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  // e-09 becomes e-9.
  if (exponent && end - begin >= 4 && end[-4] == 'e' && end[-3] == '-' && end[-2] == '0') {
    end[-2] = end[-1];
    --end;
  }
  return {begin, static_cast<size_t>(end - begin)};
}

double ParseDouble(std::string_view literal) {
  double d = 0;
  auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), d);
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves `d` alone: tiny numbers are zero, large ones infinite.
    bool tiny = literal.find("e-") != literal.npos || literal.find("E-") != literal.npos;
    d = tiny ? 0 : std::numeric_limits<double>::infinity();
    if (literal.starts_with('-')) d = -d;
  }
  return d;
}

}  // namespace value
