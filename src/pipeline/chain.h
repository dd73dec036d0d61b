// Chain: all stages in their order, as one Handler. Made by server/, which gives it the innermost handler; used by
// http/ for every request of every thread. chain.cc holds the order.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "auth/authenticator.h"
#include "auth/authorizer.h"
#include "base/clock.h"
#include "base/random.h"
#include "pipeline/connection_headers.h"
#include "pipeline/cors.h"
#include "pipeline/drain.h"
#include "pipeline/flowcontrol/flow_control.h"
#include "pipeline/request_info_stage.h"
#include "pipeline/stage.h"

namespace pipeline {

// What the stages work with. References outlive the chain.
struct Parts {
  const base::Clock& clock;
  base::Random& random;
  ErrorWriter write_error;
  RequestInfoStage::Observer observer;  // may be empty
  std::vector<std::unique_ptr<auth::Authenticator>> authenticators;
  bool anonymous = true;
  const auth::Authorizer& authorizer;
  FlowControl::Options flow_control = {};
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(60);
  ConnectionHeaders::Options connection_headers = {};
  AllowedOrigins allowed_origins = {};
  Drain::Options drain = {};
};

class Chain final : public exchange::Handler {
 public:
  // `innermost` outlives the chain.
  Chain(Parts parts, exchange::Handler& innermost);
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override { return outermost_->Handle(exchange); }
  // Everything up to the innermost handler, as Handle will do it again when the body is there.
  exchange::Admission Admit(exchange::Exchange& exchange) override;

  Drain& drain() { return *drain_; }
  FlowControl& flow_control() { return *flow_control_; }

 private:
  std::vector<std::unique_ptr<exchange::Handler>> stages_;  // innermost first
  exchange::Handler* outermost_ = nullptr;
  Drain* drain_ = nullptr;
  FlowControl* flow_control_ = nullptr;
};

}  // namespace pipeline
