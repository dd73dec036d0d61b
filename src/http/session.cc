#include "http/session.h"

#include <arpa/inet.h>

#include "http/tell_caught.h"

namespace http {
namespace {

constexpr size_t kNetworkBytes = 8;  // of an IPv6 address: the rest its holder may choose freely

}  // namespace

void Service::TellFailure(std::string_view what) noexcept { TellCaught(what, on_failure); }

std::string AddressOf(const exchange::Peer& peer) {
  std::string_view text = peer.remote_address;
  text = text.substr(0, text.rfind(':'));
  if (!text.starts_with('[')) return std::string(text);
  std::string address(text.substr(1, text.size() - 2));
  in6_addr bytes;
  if (inet_pton(AF_INET6, address.c_str(), &bytes) != 1) return address;
  return std::string(reinterpret_cast<const char*>(&bytes), kNetworkBytes);
}

}  // namespace http
