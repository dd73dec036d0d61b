// Aggregation: before the router, what API services say of groups: their documents, and whose versions they are. What
// another server has is answered as if that could not be reached: nothing is passed on yet. Any thread.
#pragma once

#include "exchange/exchange.h"
#include "handlers/discovery/discovery.h"

namespace handlers {

class Aggregation final : public exchange::Handler {
 public:
  // Both outlive this.
  Aggregation(exchange::Handler& local, Discovery& discovery) : local_(local), discovery_(discovery) {}

  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  exchange::Handler& local_;
  Discovery& discovery_;
};

}  // namespace handlers
