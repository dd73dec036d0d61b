#include "http/session.h"

#include <exception>

#include "base/text.h"

namespace http {

void Service::TellFailure(std::string_view what) noexcept {
  try {
    if (!on_failure) return;
    try {
      throw;
    } catch (const std::exception& caught) {
      on_failure(base::Cat(what, ": ", caught.what()));
    } catch (...) {
      on_failure(what);
    }
  } catch (...) {  // no memory for that either
  }
}

std::string AddressOf(const exchange::Peer& peer) {
  return peer.remote_address.substr(0, peer.remote_address.rfind(':'));
}

}  // namespace http
