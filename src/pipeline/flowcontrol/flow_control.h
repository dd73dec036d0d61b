// FlowControl: the stage of priority and fairness. It says which flow schema a request belongs to, has it wait for
// seats of its priority level, and refuses it where the level is full or its wait was too long. Where no schemas are
// published, the number of requests that run is limited instead. Requests that last are only classified, if at all;
// a watch takes its seats until it has begun, and every request gives them back when its answer is there, not when a
// slow client has taken it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/published.h"
#include "pipeline/flowcontrol/flow_schemas.h"
#include "pipeline/flowcontrol/priority_levels.h"
#include "pipeline/stage.h"

namespace pipeline {

// How many requests may run at once; 0 is no limit. Together they are the seats of the server.
struct InFlightLimits {
  int reading = 400;
  int mutating = 200;
};

class FlowControl final : public Stage {
 public:
  struct Options {
    InFlightLimits limits;
    std::chrono::nanoseconds longest_wait = std::chrono::seconds(15);  // of requests that have no deadline
    // How many objects of the resource are stored: what a list of them costs. Empty: none.
    std::function<size_t(const api::RequestInfo&)> object_count = {};
  };
  FlowControl(Options options, const base::Clock& clock, exchange::Handler& next)
      : Stage(next),
        options_(std::move(options)),
        clock_(clock),
        levels_(options_.limits.reading + options_.limits.mutating, clock) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

  // From now on requests are classified by `schemas`, whose levels' state this sets; not where there are no limits. Any
  // thread.
  void Publish(std::shared_ptr<FlowSchemas> schemas);
  // Counts in `metrics`, which outlives this. Call before the first request.
  void CountIn(base::Metrics& metrics);

  // What /debug/api_priority_and_fairness/dump_* tell. Any thread.
  std::string DumpLevels() const;
  std::string DumpQueues() const;
  std::string DumpRequests(bool with_details) const;

  // Requests running now that last no longer than their deadline.
  int reading() const { return reading_.load(std::memory_order_relaxed); }
  int mutating() const { return mutating_.load(std::memory_order_relaxed); }

 private:
  struct Families;
  using Schemas = std::shared_ptr<const FlowSchemas>;

  base::Task<exchange::Response> HandleLimited(exchange::Exchange& exchange);
  base::Task<exchange::Response> HandleCounted(exchange::Exchange& exchange, std::atomic<int>& running);
  base::Task<exchange::Response> HandleSeated(exchange::Exchange& exchange, Schemas schemas, FlowSchemas::Flow flow,
                                              QueueSet::RequestRef request);
  exchange::Response Refuse(const FlowSchemas::Flow& flow, std::string_view reason);
  int SeatsOf(const api::RequestContext& context, const LevelState& level) const;
  std::chrono::milliseconds LongestWait(const api::RequestContext& context) const;
  void Collect() const;

  const Options options_;
  const base::Clock& clock_;
  PriorityLevels levels_;
  base::PublishedShared<const FlowSchemas> schemas_;
  std::shared_ptr<Families> families_;  // null: nothing is counted
  std::atomic<int> reading_{0}, mutating_{0};
};

}  // namespace pipeline
