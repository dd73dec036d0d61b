#include "server/port_range.h"

#include <charconv>

#include "base/text.h"
#include "value/quote.h"

namespace server {
namespace {

using base::Cat;

constexpr int kLastPort = 65535;

std::expected<int, std::string> Number(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc() && end == digits.data() + digits.size()) return number;
  const bool large = error == std::errc::result_out_of_range;
  return std::unexpected(
      Cat("strconv.Atoi: parsing ", value::Quote(text), large ? ": value out of range" : ": invalid syntax"));
}

}  // namespace

std::expected<PortRange, std::string> ParsePortRange(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) return PortRange();
  const size_t hyphen = text.find('-'), plus = text.find('+');
  if (hyphen != text.npos && plus != text.npos) {
    return std::unexpected(Cat("unable to parse port range: ", text));
  }
  const size_t sign = hyphen != text.npos ? hyphen : plus;
  const auto low = Number(text.substr(0, sign));
  if (!low) return std::unexpected(low.error());
  int high = *low;
  if (sign != text.npos) {
    const auto second = Number(text.substr(sign + 1));
    if (!second) return std::unexpected(second.error());
    high = plus != text.npos ? *low + *second : *second;
  }
  if (*low > kLastPort || high > kLastPort) {
    return std::unexpected(Cat("the port range cannot be greater than ", kLastPort, ": ", text));
  }
  if (high < *low) return std::unexpected(Cat("end port cannot be less than start port: ", text));
  return PortRange{*low, 1 + high - *low};
}

}  // namespace server
