// What services draw from: ranges of addresses and of node ports. Each number of a range is held by stored services, by
// writes that are under way, or free. Not thread-safe: ServiceAllocator guards them.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "api/ip_address.h"
#include "base/random.h"

namespace resources::core {

// The numbers 0 to size - 1. A number may be held more than once (two objects of an older store may hold the same).
class NumberPool {
 public:
  // Choose() leaves the first `kept_back` numbers to those who ask for them, as long as there are others.
  NumberPool(int64_t size, int64_t kept_back) : size_(size), kept_back_(kept_back) {}

  int64_t size() const { return size_; }
  bool Has(int64_t number) const { return holders_.contains(number); }
  void Hold(int64_t number) { ++holders_[number]; }
  void Release(int64_t number);
  // Any number that is free, at random.
  std::optional<int64_t> Choose(base::Random& random) const;

 private:
  std::optional<int64_t> FindFree(int64_t begin, int64_t end, base::Random& random) const;

  const int64_t size_, kept_back_;
  absl::flat_hash_map<int64_t, uint32_t> holders_;
};

// One holder's number.
struct HeldNumber {
  NumberPool* pool;
  int64_t number;
};

// The addresses of a range but its first and, in IPv4, its last; of IPv6 ranges the first 65535.
class AddressPool {
 public:
  explicit AddressPool(const api::IpPrefix& range);

  bool is_v4() const { return range_.is_v4(); }
  std::string text() const;          // "10.0.0.0/24"
  std::string network_text() const;  // "10.0.0.0"
  // The address's number in the pool; nothing outside.
  std::optional<int64_t> NumberOf(const api::IpAddress& address) const;
  std::string AddressOf(int64_t number) const;
  NumberPool& numbers() { return numbers_; }

 private:
  const api::IpPrefix range_;
  const api::IpAddress base_;
  NumberPool numbers_;
};

// Ports of the nodes: of services and of their health checks.
class PortPool {
 public:
  PortPool(int64_t first, int64_t count);

  std::string text() const;  // "30000-32767"
  std::optional<int64_t> NumberOf(int64_t port) const;
  int64_t PortOf(int64_t number) const { return first_ + number; }
  NumberPool& numbers() { return numbers_; }

 private:
  const int64_t first_;
  NumberPool numbers_;
};

}  // namespace resources::core
