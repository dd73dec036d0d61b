#include "server/listen_address.h"

#include <charconv>
#include <string_view>

#include "base/text.h"

namespace server {
namespace {

using base::Cat;
using base::Code;

base::Result<> SetListen(std::string_view listen, Options& options) {
  size_t colon = listen.rfind(':');
  int port = -1;
  if (colon != std::string_view::npos) {
    std::string_view digits = listen.substr(colon + 1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size()) port = -1;
  }
  if (port < 0 || port > 65535) {
    return base::Fail(Code::kInvalid, Cat("--listen ", listen, " is no ADDRESS:PORT"));
  }
  std::string_view address = listen.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  options.bind_address = address.empty() ? "0.0.0.0" : std::string(address);
  options.port = static_cast<uint16_t>(port);
  return {};
}

}  // namespace

base::Result<> SetListenAddress(const FlagValues& flags, Options& options) {
  const bool address = flags.IsSet("bind-address"), port = flags.IsSet("secure-port");
  if (flags.IsSet("listen") && (address || port)) {
    return base::Fail(Code::kInvalid, "--listen says what --bind-address and --secure-port say: give one or the other");
  }
  const std::string given_address = options.bind_address;
  const uint16_t given_port = options.port;
  if (base::Result<> set = SetListen(flags.Text("listen"), options); !set) return set;
  if (address) options.bind_address = given_address;
  if (port) options.port = given_port;
  return {};
}

std::string ServerUrl(const std::string& bind_address, uint16_t port) {
  std::string host = bind_address == "0.0.0.0" || bind_address == "::" ? "127.0.0.1" : bind_address;
  if (host.find(':') != std::string::npos) host = Cat("[", host, "]");
  return Cat("https://", host, ":", port);
}

}  // namespace server
