// FlowControl: the stage that says which flow schema a request belongs to and refuses requests when too many are
// running. Exempt levels, members of system:masters and requests that last are never refused.
#pragma once

#include <atomic>
#include <memory>

#include "base/published.h"
#include "pipeline/flowcontrol/flow_schemas.h"
#include "pipeline/stage.h"

namespace pipeline {

// How many requests may run at once; 0 is no limit.
struct InFlightLimits {
  int reading = 400;
  int mutating = 200;
};

class FlowControl final : public Stage {
 public:
  FlowControl(InFlightLimits limits, exchange::Handler& next) : Stage(next), limits_(limits) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

  // From now on requests are classified by `schemas`. Any thread.
  void Publish(std::shared_ptr<const FlowSchemas> schemas) { schemas_.Store(std::move(schemas)); }

  // Requests running now that last no longer than their deadline.
  int reading() const { return reading_.load(std::memory_order_relaxed); }
  int mutating() const { return mutating_.load(std::memory_order_relaxed); }

 private:
  // Sets the headers. True if the request must not be refused.
  bool Classify(exchange::Exchange& exchange) const;
  base::Task<exchange::Response> HandleCounted(exchange::Exchange& exchange, std::atomic<int>& running);

  const InFlightLimits limits_;
  base::PublishedShared<const FlowSchemas> schemas_;
  std::atomic<int> reading_{0}, mutating_{0};
};

}  // namespace pipeline
