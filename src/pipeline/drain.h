// Drain: turns new requests away while the server stops. Health, metrics and the server's own clients still pass.
// Begin() is called once by the lifecycle, from any thread.
#pragma once

#include <atomic>

#include "pipeline/stage.h"

namespace pipeline {

class Drain final : public Stage {
 public:
  explicit Drain(exchange::Handler& next) : Stage(next) {}
  void Begin() { draining_.store(true, std::memory_order_release); }
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  std::atomic<bool> draining_{false};
};

}  // namespace pipeline
