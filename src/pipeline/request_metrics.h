// RequestMetrics: counts what the server answers, under the real server's metric names: requests by verb, resource and
// code, how long they took, how large reads are, which watches are open, how many run. RequestInfoStage calls Observe()
// for each answer.
//
// No label has a value that a client made up: what is no served resource counts as "other".
//
// Threads: any. Ownership: `metrics` outlives this and every response that was observed.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "base/metrics.h"
#include "exchange/exchange.h"
#include "pipeline/flowcontrol/flow_control.h"

namespace pipeline {

class RequestMetrics {
 public:
  // Whether that resource, or that subresource of it, is served. Asked on the thread of each request.
  using IsServed = std::function<bool(const api::RequestInfo& info)>;

  RequestMetrics(base::Metrics& metrics, IsServed is_served);

  // Counts one answer. The body of a watch is wrapped, so that its end is seen.
  void Observe(const exchange::Exchange& exchange, exchange::Response& response, std::chrono::nanoseconds took);

  // From now on expositions tell how many requests run in `flow_control`, which outlives `metrics`' last exposition.
  void Follow(const FlowControl& flow_control);

 private:
  base::Metrics& metrics_;
  const IsServed is_served_;
  base::CounterFamily& requests_;
  base::HistogramFamily& durations_;
  base::HistogramFamily& sizes_;
  base::GaugeFamily& long_running_;
  base::GaugeFamily& in_flight_;
  base::CounterFamily& attempts_;
};

}  // namespace pipeline
