// WebhookMetrics: how often webhooks were asked, how long that took, what they refused and where they failed, under
// the real server's names. One a process; any thread.
#pragma once

#include <chrono>
#include <string_view>

#include "base/metrics.h"
#include "registry/admission.h"

namespace admission {

class WebhookMetrics {
 public:
  // `type`: "admit" or "validating". `metrics` outlives this.
  WebhookMetrics(base::Metrics& metrics, std::string_view type);

  enum class Fault { kNone, kCall, kServer };  // of a refusal: the webhook's own, of the call, of what was made of it
  void Asked(std::string_view webhook, registry::Operation operation, std::chrono::nanoseconds took, int code,
             bool rejected) const;
  void Rejected(std::string_view webhook, registry::Operation operation, Fault fault, int code) const;
  void FailedOpen(std::string_view webhook) const;
  void Excluded(std::string_view webhook, registry::Operation operation) const;  // by its match conditions

 private:
  const std::string_view type_;
  base::HistogramFamily& durations_;
  base::CounterFamily& requests_;
  base::CounterFamily& rejections_;
  base::CounterFamily& open_failures_;
  base::CounterFamily& exclusions_;
};

}  // namespace admission
