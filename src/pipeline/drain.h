// Drain: turns new requests away while the server stops. Health, metrics and the server's own clients still pass.
// Begin() is called once by the lifecycle, from any thread.
#pragma once

#include <atomic>

#include "pipeline/stage.h"

namespace pipeline {

class Drain final : public Stage {
 public:
  struct Options {
    // New requests are told to come again in five seconds, on another connection (--shutdown-send-retry-after).
    bool send_retry_after = false;
    bool refuse_watches = false;  // new watches are turned away too: those that run are being ended
  };
  Drain(Options options, exchange::Handler& next) : Stage(next), options_(options) {}
  void Begin() { draining_.store(true, std::memory_order_release); }
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  const Options options_;
  std::atomic<bool> draining_{false};
};

}  // namespace pipeline
