// Deadline: until when a request may take, from its `timeout` parameter and the server's own limit. Whatever waits on
// behalf of the request ends at RequestContext::deadline; an answer that comes of that is replaced by the one clients
// know.
#pragma once

#include <chrono>

#include "base/clock.h"
#include "pipeline/stage.h"

namespace pipeline {

class Deadline final : public Stage {
 public:
  Deadline(std::chrono::nanoseconds limit, const base::Clock& clock, ErrorWriter write_error, exchange::Handler& next)
      : Stage(next), limit_(limit), clock_(clock), write_error_(std::move(write_error)) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  base::Task<exchange::Response> HandleUntil(exchange::Exchange& exchange);

  const std::chrono::nanoseconds limit_;
  const base::Clock& clock_;
  const ErrorWriter write_error_;
};

}  // namespace pipeline
