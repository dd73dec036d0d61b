#include "admission/webhooks/webhook_metrics.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace admission {
namespace {

constexpr int kMostCode = 600;

std::string CodeText(int code) { return base::Cat(std::min(code, kMostCode)); }
std::string_view BoolText(bool value) { return value ? "true" : "false"; }

std::string_view FaultText(WebhookMetrics::Fault fault) {
  switch (fault) {
    case WebhookMetrics::Fault::kNone:
      return "no_error";
    case WebhookMetrics::Fault::kCall:
      return "calling_webhook_error";
    case WebhookMetrics::Fault::kServer:
      return "apiserver_internal_error";
  }
  return "";
}

}  // namespace

WebhookMetrics::WebhookMetrics(base::Metrics& metrics, std::string_view type)
    : type_(type),
      durations_(metrics.Histograms("apiserver_admission_webhook_admission_duration_seconds",
                                    "[STABLE] Seconds that calls of an admission webhook took, by its name, the "
                                    "operation, the type (validating or admit) and whether it rejected.",
                                    {"name", "type", "operation", "rejected"},
                                    {0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10, 25})),
      requests_(metrics.Counters("apiserver_admission_webhook_request_total",
                                 "[ALPHA] Calls of an admission webhook, by its name, the operation, the type, the "
                                 "status code (at most 600) and whether it rejected.",
                                 {"name", "type", "operation", "code", "rejected"})),
      rejections_(metrics.Counters("apiserver_admission_webhook_rejection_count",
                                   "[ALPHA] Requests that an admission webhook rejected, by its name, the operation, "
                                   "the type, what went wrong (no_error where it decided so) and the status code (at "
                                   "most 600).",
                                   {"name", "type", "operation", "error_type", "rejection_code"})),
      open_failures_(metrics.Counters("apiserver_admission_webhook_fail_open_count",
                                      "[ALPHA] Requests that passed although an admission webhook could not be asked, "
                                      "by its name and type.",
                                      {"name", "type"})),
      exclusions_(metrics.Counters("apiserver_admission_match_condition_exclusions_total",
                                   "[ALPHA] Requests that match conditions kept from a webhook or policy, by its name, "
                                   "its kind, the operation and the type.",
                                   {"name", "kind", "operation", "type"})) {}

void WebhookMetrics::Asked(std::string_view webhook, registry::Operation operation, std::chrono::nanoseconds took,
                           int code, bool rejected) const {
  const std::string_view name = registry::OperationName(operation);
  requests_.With({webhook, type_, name, CodeText(code), BoolText(rejected)}).Add();
  durations_.With({webhook, type_, name, BoolText(rejected)}).Observe(std::chrono::duration<double>(took).count());
}

void WebhookMetrics::Rejected(std::string_view webhook, registry::Operation operation, Fault fault, int code) const {
  rejections_.With({webhook, type_, registry::OperationName(operation), FaultText(fault), CodeText(code)}).Add();
}

void WebhookMetrics::FailedOpen(std::string_view webhook) const { open_failures_.With({webhook, type_}).Add(); }

void WebhookMetrics::Excluded(std::string_view webhook, registry::Operation operation) const {
  exclusions_.With({webhook, "webhook", registry::OperationName(operation), type_}).Add();
}

}  // namespace admission
