#include "value/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace value {

namespace {

// Turns d.ddde+XX, with an exponent of 15 to 20, into plain digits in place and returns their end. to_chars' own plain
// form would give every digit of the binary value; the API pads the shortest digits with zeros.
char* Expand(char* begin, char* end) {
  char* e = std::find(begin, end, 'e');
  int exponent = (e[2] - '0') * 10 + (e[3] - '0');
  char* point = begin + (*begin == '-') + 1;
  if (*point != '.') {  // one digit
    return std::fill_n(point, exponent, '0');
  }
  int fraction = static_cast<int>(e - point) - 1;
  int whole = std::min(fraction, exponent);
  std::memmove(point, point + 1, static_cast<size_t>(whole));
  if (fraction <= exponent) return std::fill_n(point + whole, exponent - fraction, '0');
  point[whole] = '.';
  return e;
}

}  // namespace

std::string_view FormatDouble(double d, std::span<char, kMaxDoubleText> buffer) {
  double magnitude = std::fabs(d);
  bool exponent = magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21);
  bool large = magnitude >= 1e15 && !exponent;
  char* begin = buffer.data();
  char* end = std::to_chars(begin, begin + buffer.size(), d,
                            exponent || large ? std::chars_format::scientific : std::chars_format::fixed)
                  .ptr;
  if (large) return {begin, static_cast<size_t>(Expand(begin, end) - begin)};
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
