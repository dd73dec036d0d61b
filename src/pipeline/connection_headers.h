// ConnectionHeaders: what answers say about connections to this server: Strict-Transport-Security
// (--strict-transport-security-directives), and to a few HTTP/2 clients that their connection ends (--goaway-chance),
// so that they do not all stay with one of several servers.
#pragma once

#include <string>

#include "base/random.h"
#include "pipeline/stage.h"

namespace pipeline {

class ConnectionHeaders final : public Stage {
 public:
  struct Options {
    std::string strict_transport_security;  // the field's value; "": none
    double goaway_chance = 0;               // of each HTTP/2 request
    bool empty() const { return strict_transport_security.empty() && goaway_chance <= 0; }
  };
  ConnectionHeaders(Options options, base::Random& random, exchange::Handler& next)
      : Stage(next), options_(std::move(options)), random_(random) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  bool Ends();

  const Options options_;
  base::Random& random_;
};

}  // namespace pipeline
