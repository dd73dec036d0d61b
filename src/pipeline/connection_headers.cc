#include "pipeline/connection_headers.h"

#include <cmath>

namespace pipeline {

bool ConnectionHeaders::Ends() {
  uint64_t number = 0;
  random_.Fill(reinterpret_cast<uint8_t*>(&number), sizeof number);
  return std::ldexp(static_cast<double>(number), -64) < options_.goaway_chance;
}

base::Task<exchange::Response> ConnectionHeaders::Handle(exchange::Exchange& exchange) {
  auto& headers = exchange.context().response_headers;
  if (!options_.strict_transport_security.empty()) {
    headers.emplace_back("strict-transport-security", options_.strict_transport_security);
  }
  if (options_.goaway_chance > 0 && exchange.request().http_major == 2 && Ends()) {
    headers.emplace_back("connection", "close");
  }
  return next_.Handle(exchange);
}

}  // namespace pipeline
