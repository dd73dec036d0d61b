#include "cel/library/network.h"

#include <algorithm>

#include "api/ip_address.h"
#include "base/text.h"
#include "value/quote.h"

namespace cel::library {
namespace {

using base::Cat;

constexpr size_t kFirstV4 = 12;  // where the bytes of an IPv4 address begin
constexpr std::string_view kNoNetwork = "network address parse error during conversion from string: ";

bool StartsEqual(const Ip& a, const Ip& b, int bits) {
  const size_t first = a.is_v4 ? kFirstV4 : 0;
  for (size_t i = 0; bits > 0; ++i, bits -= 8) {
    const auto mask = static_cast<uint8_t>(0xff00 >> std::min(bits, 8));
    if (((a.bytes[first + i] ^ b.bytes[first + i]) & mask) != 0) return false;
  }
  return true;
}

Ip Made(const api::IpAddress& address) { return {.bytes = address.bytes(), .is_v4 = !address.written_as_v6()}; }
api::IpAddress Known(const Ip& ip) { return api::IpAddress::Of(ip.bytes, !ip.is_v4); }

std::unexpected<std::string> Mapped(std::string_view text) {
  return std::unexpected(Cat("IPv4-mapped IPv6 address ", value::Quote(text), " is not allowed"));
}

}  // namespace

std::string Ip::text() const { return Known(*this).strict_text(); }
bool Ip::IsUnspecified() const { return Known(*this).IsUnspecified(); }
bool Ip::IsLoopback() const { return Known(*this).IsLoopback(); }
bool Ip::IsLinkLocalMulticast() const { return Known(*this).IsLinkLocalMulticast(); }
bool Ip::IsLinkLocalUnicast() const { return Known(*this).IsLinkLocalUnicast(); }
bool Ip::IsGlobalUnicast() const {
  const bool is_multicast = is_v4 ? (bytes[kFirstV4] & 0xf0) == 0xe0 : bytes[0] == 0xff;
  const bool is_broadcast =
      is_v4 && std::all_of(bytes.begin() + kFirstV4, bytes.end(), [](uint8_t byte) { return byte == 255; });
  return !is_multicast && !is_broadcast && !IsUnspecified() && !IsLoopback() && !IsLinkLocalUnicast();
}

std::string Cidr::text() const { return Cat(ip.text(), "/", bits); }

Cidr Cidr::Masked() const {
  Cidr masked = *this;
  const int kept = bits + (ip.is_v4 ? 96 : 0);
  for (int i = ip.is_v4 ? static_cast<int>(kFirstV4) : 0; i < 16; ++i) {
    masked.ip.bytes[static_cast<size_t>(i)] &= static_cast<uint8_t>(0xff00 >> std::clamp(kept - i * 8, 0, 8));
  }
  return masked;
}

bool Cidr::Contains(const Ip& address) const { return ip.is_v4 == address.is_v4 && StartsEqual(ip, address, bits); }

bool Cidr::Contains(const Cidr& part) const { return bits <= part.bits && Contains(part.ip); }

Outcome<Ip> ParseIp(std::string_view text) {
  const auto address = api::IpAddress::ParseStrictly(text);
  if (!address) {
    return std::unexpected(
        Cat("IP Address ", value::Quote(text), " parse error during conversion from string: ", address.error()));
  }
  if (text.contains('%')) {
    return std::unexpected(Cat("IP address ", value::Quote(text), " with zone value is not allowed"));
  }
  if (address->written_as_v6() && address->is_v4()) return Mapped(text);
  return Made(*address);
}

Outcome<Cidr> ParseCidr(std::string_view text) {
  const auto prefix = api::IpPrefix::ParseStrictly(text);
  if (!prefix) {
    // The real server says it twice.
    return std::unexpected(Cat(kNoNetwork, kNoNetwork, prefix.error()));
  }
  if (prefix->address().written_as_v6() && prefix->is_v4()) {
    return std::unexpected(Cat(kNoNetwork, Mapped(text).error()));
  }
  return Cidr{.ip = Made(prefix->address()), .bits = prefix->bits()};
}

Outcome<bool> IsCanonicalIp(std::string_view text) {
  const Outcome<Ip> ip = ParseIp(text);
  if (!ip) return std::unexpected(ip.error());
  return ip->text() == text;
}

}  // namespace cel::library
