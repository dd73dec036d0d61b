#include "resources/core/service/service_pools.h"

#include <algorithm>

#include "base/text.h"

namespace resources::core {
namespace {

constexpr int64_t kMostV6 = 65536;

// How many addresses the range has, as the real server counts them.
int64_t SizeOf(const api::IpPrefix& range) {
  const int host_bits = (range.is_v4() ? 32 : 128) - range.bits();
  if (range.is_v4()) return host_bits >= 31 ? 0 : int64_t{1} << host_bits;
  return host_bits >= 127 ? 0 : int64_t{1} << std::min(host_bits, 62);
}

int64_t Usable(const api::IpPrefix& range) {
  int64_t size = SizeOf(range);
  size = range.is_v4() ? size - 1 : std::min(size, kMostV6);
  return std::max<int64_t>(size - 1, 0);
}

int64_t AddressesKeptBack(int64_t size) { return size <= 16 ? 0 : std::clamp<int64_t>(size / 16, 16, 256); }
int64_t PortsKeptBack(int64_t size) { return size <= 16 ? 0 : std::clamp<int64_t>(size / 32, 16, 128); }

}  // namespace

void NumberPool::Release(int64_t number) {
  const auto holder = holders_.find(number);
  if (holder != holders_.end() && --holder->second == 0) holders_.erase(holder);
}

std::optional<int64_t> NumberPool::Choose(base::Random& random) const {
  if (auto found = FindFree(kept_back_, size_, random)) return found;
  return FindFree(0, kept_back_, random);
}

std::optional<int64_t> NumberPool::FindFree(int64_t begin, int64_t end, base::Random& random) const {
  const int64_t size = end - begin;
  if (size <= 0) return std::nullopt;
  uint8_t bytes[8];
  random.Fill(bytes, sizeof bytes);
  uint64_t drawn = 0;
  for (const uint8_t byte : bytes) drawn = drawn << 8 | byte;
  const int64_t start = static_cast<int64_t>(drawn % static_cast<uint64_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    const int64_t number = begin + (start + i) % size;
    if (!Has(number)) return number;
  }
  return std::nullopt;
}

AddressPool::AddressPool(const api::IpPrefix& range)
    : range_(range), base_(range.first().Plus(1)), numbers_(Usable(range), AddressesKeptBack(SizeOf(range))) {}

std::string AddressPool::text() const { return base::Cat(network_text(), "/", range_.bits()); }
std::string AddressPool::network_text() const { return range_.first().text(); }

std::optional<int64_t> AddressPool::NumberOf(const api::IpAddress& address) const {
  if (!range_.Contains(address)) return std::nullopt;
  const int64_t number = base_.DistanceTo(address);
  if (number < 0 || number >= numbers_.size()) return std::nullopt;
  return number;
}

std::string AddressPool::AddressOf(int64_t number) const { return base_.Plus(static_cast<uint64_t>(number)).text(); }

PortPool::PortPool(int64_t first, int64_t count) : first_(first), numbers_(count, PortsKeptBack(count)) {}

std::string PortPool::text() const { return base::Cat(first_, "-", first_ + numbers_.size() - 1); }

std::optional<int64_t> PortPool::NumberOf(int64_t port) const {
  if (port < first_ || port >= first_ + numbers_.size()) return std::nullopt;
  return port - first_;
}

}  // namespace resources::core
