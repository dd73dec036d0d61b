// Network: the ip() and cidr() of expressions: addresses as Go's net/netip reads them, without zones and without IPv4
// addresses in IPv6 form. Plain values that live in an evaluation's arena. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "cel/library/outcome.h"

namespace cel::library {

struct Ip {
  std::array<uint8_t, 16> bytes{};  // an IPv4 address stands in the last four, behind ff:ff
  bool is_v4 = false;

  int family() const { return is_v4 ? 4 : 6; }
  int size() const { return is_v4 ? 4 : 16; }  // bytes, which is what size() tells
  std::string text() const;

  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocalMulticast() const;
  bool IsLinkLocalUnicast() const;
  bool IsGlobalUnicast() const;

  friend bool operator==(const Ip&, const Ip&) = default;
};

struct Cidr {
  Ip ip;  // as written, with the bits behind the prefix
  int bits = 0;

  int size() const { return (bits + 7) / 8; }
  std::string text() const;
  Cidr Masked() const;
  bool Contains(const Ip& address) const;
  bool Contains(const Cidr& part) const;

  friend bool operator==(const Cidr&, const Cidr&) = default;
};
static_assert(std::is_trivially_copyable_v<Ip> && std::is_trivially_copyable_v<Cidr>);

Outcome<Ip> ParseIp(std::string_view text);
Outcome<Cidr> ParseCidr(std::string_view text);
// Whether an address is written as it would be printed.
Outcome<bool> IsCanonicalIp(std::string_view text);

}  // namespace cel::library
