// IpAddress and IpPrefix: network addresses as the API reads and prints them, in its two ways: loosely (fields of
// services, endpoints and policies: leading zeros pass) and strictly (names of IPAddresses, ServiceCIDRs, warnings).
// Plain values; pure functions, any thread.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace api {

class IpAddress {
 public:
  // "10.0.0.1", "010.0.0.1", "2001:db8::1"; no zone.
  static std::optional<IpAddress> ParseLoosely(std::string_view text);
  // Leading zeros are refused, zones ("fe80::1%eth0") pass. The error is a text as the API shows it.
  static std::expected<IpAddress, std::string> ParseStrictly(std::string_view text);
  // The address of these bytes; one of the IPv4 family as the IPv6 address that maps it.
  static IpAddress Of(const std::array<uint8_t, 16>& bytes, bool written_as_v6);
  // The address `distance` after this one; what goes beyond the last address begins at the first again.
  IpAddress Plus(uint64_t distance) const;
  // How far `later` lies behind this one, where that is less than 2^63; -1 else.
  int64_t DistanceTo(const IpAddress& later) const;

  // Of the IPv4 family: dotted decimals, and IPv6 addresses that map such ("::ffff:10.0.0.1").
  bool is_v4() const;
  bool written_as_v6() const { return written_as_v6_; }
  // An IPv4 address as the IPv6 address that maps it.
  const std::array<uint8_t, 16>& bytes() const { return bytes_; }

  std::string text() const;         // shortest form; dotted decimals for the whole IPv4 family
  std::string strict_text() const;  // the same, but what was written as IPv6 stays so, and the zone is kept

  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocalUnicast() const;
  bool IsLinkLocalMulticast() const;

  friend bool operator==(const IpAddress& a, const IpAddress& b) { return a.bytes_ == b.bytes_; }

 private:
  friend class AddressReader;
  friend class IpPrefix;
  std::array<uint8_t, 16> bytes_{};
  bool written_as_v6_ = false;
  std::string zone_;
};

// A range of addresses: "10.0.0.0/8".
class IpPrefix {
 public:
  static std::optional<IpPrefix> ParseLoosely(std::string_view text);
  static std::expected<IpPrefix, std::string> ParseStrictly(std::string_view text);

  const IpAddress& address() const { return address_; }  // as it was written, host bits and all
  int bits() const { return bits_; }                     // of 32 or 128, as it was written
  bool is_v4() const { return address_.is_v4(); }
  IpAddress first() const;  // with the host bits cleared
  bool Contains(const IpAddress& address) const;
  std::string strict_text() const;  // address and length

 private:
  int long_bits() const { return address_.written_as_v6() ? bits_ : bits_ + 96; }
  IpAddress address_;
  int bits_ = 0;
};

}  // namespace api
