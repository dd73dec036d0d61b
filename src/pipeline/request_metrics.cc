#include "pipeline/request_metrics.h"

#include <charconv>
#include <memory>
#include <utility>

namespace pipeline {
namespace {

constexpr std::string_view kOther = "other";

// The words that all these metrics are broken out by.
struct Labels {
  std::string_view component, dry_run, group, resource, scope, subresource, verb, version;
};

std::string_view VerbLabel(const exchange::Request& request, const api::RequestInfo& info) {
  constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {"get", "GET"},    {"list", "LIST"},     {"watch", "WATCH"},   {"create", "POST"},
      {"update", "PUT"}, {"delete", "DELETE"}, {"proxy", "CONNECT"}, {"deletecollection", "DELETECOLLECTION"},
  };
  if (info.verb == "patch") {
    return request.headers.Get("content-type").starts_with("application/apply-patch") ? "APPLY" : "PATCH";
  }
  for (const auto& [verb, label] : kVerbs) {
    if (verb == info.verb) return label;
  }
  return kOther;
}

// Paths of no resource that are told apart; clients may ask for any number of others.
std::string_view KnownPath(std::string_view path) {
  for (std::string_view known :
       {"/livez", "/readyz", "/healthz", "/metrics", "/version", "/openapi/v2", "/openapi/v3", "/api", "/apis"}) {
    if (path == known) return known;
  }
  return "";
}

std::string_view MethodLabel(std::string_view method) {
  for (std::string_view known : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    if (method == known) return known;
  }
  return kOther;
}

Labels LabelsOf(const exchange::Exchange& exchange, const RequestMetrics::IsServed& is_served) {
  const exchange::Request& request = exchange.request();
  const api::RequestInfo& info = exchange.context().info;
  if (!info.is_resource_request) return {.subresource = KnownPath(info.path), .verb = MethodLabel(request.method)};
  const bool one = !info.name.empty() || info.verb == "create";
  const bool served = is_served(info);
  const auto known = [served](std::string_view word) { return served ? word : kOther; };
  const bool dry_run = exchange.context().query.Get("dryRun") == "All";
  return {.component = "apiserver",
          .dry_run = dry_run ? "All" : "",
          .group = known(info.group),
          .resource = known(info.resource),
          .scope = one                           ? "resource"
                   : info.namespace_name.empty() ? "cluster"
                                                 : "namespace",
          .subresource = info.subresource.empty() ? "" : known(info.subresource),
          .verb = VerbLabel(request, info),
          .version = known(info.version)};
}

// The body of a watch, counted as long as it lives.
class CountedBody final : public exchange::BodySource {
 public:
  CountedBody(std::unique_ptr<exchange::BodySource> body, base::Gauge& open) : body_(std::move(body)), open_(open) {
    open_.Add(1);
  }
  ~CountedBody() override { open_.Add(-1); }
  State Pull(size_t max_bytes, std::vector<base::Slice>& out) override { return body_->Pull(max_bytes, out); }
  void SetWaker(absl::AnyInvocable<void()> wake) override { body_->SetWaker(std::move(wake)); }

 private:
  const std::unique_ptr<exchange::BodySource> body_;
  base::Gauge& open_;
};

}  // namespace

RequestMetrics::RequestMetrics(base::Metrics& metrics, IsServed is_served)
    : metrics_(metrics),
      is_served_(std::move(is_served)),
      requests_(metrics.Counters(
          "apiserver_request_total",
          "[STABLE] Counter of apiserver requests broken out for each verb, dry run value, "
          "group, version, resource, scope, component, and HTTP response code.",
          {"code", "component", "dry_run", "group", "resource", "scope", "subresource", "verb", "version"})),
      durations_(metrics.Histograms(
          "apiserver_request_duration_seconds",
          "[STABLE] Response latency distribution in seconds for each verb, dry run value, "
          "group, version, resource, subresource, scope and component.",
          {"component", "dry_run", "group", "resource", "scope", "subresource", "verb", "version"},
          {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60})),
      sizes_(metrics.Histograms("apiserver_response_sizes",
                                "[STABLE] Response size distribution in bytes for each group, version, verb, resource, "
                                "subresource, scope and component.",
                                {"component", "group", "resource", "scope", "subresource", "verb", "version"},
                                {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9})),
      long_running_(metrics.Gauges("apiserver_longrunning_requests",
                                   "[STABLE] Gauge of all active long-running apiserver requests broken out by verb, "
                                   "group, version, resource, scope and component. Not all requests are tracked this "
                                   "way.",
                                   {"component", "group", "resource", "scope", "subresource", "verb", "version"})),
      in_flight_(metrics.Gauges("apiserver_current_inflight_requests",
                                "[STABLE] Maximal number of currently used inflight request limit of this apiserver "
                                "per request kind in last second.",
                                {"request_kind"})),
      attempts_(metrics.Counters("authentication_attempts", "[ALPHA] Counter of authenticated attempts.", {"result"})) {
}

void RequestMetrics::Observe(const exchange::Exchange& exchange, exchange::Response& response,
                             std::chrono::nanoseconds took) {
  const Labels labels = LabelsOf(exchange, is_served_);
  char code[8];
  const std::string_view status(
      code, static_cast<size_t>(std::to_chars(code, code + sizeof(code), response.status).ptr - code));
  requests_
      .With({status, labels.component, labels.dry_run, labels.group, labels.resource, labels.scope, labels.subresource,
             labels.verb, labels.version})
      .Add();
  attempts_.With({response.status == 401 ? "failure" : "success"}).Add();
  if (auto* body = std::get_if<std::unique_ptr<exchange::BodySource>>(&response.body); body && response.is_watch) {
    base::Gauge& open = long_running_.With({labels.component, labels.group, labels.resource, labels.scope,
                                            labels.subresource, labels.verb, labels.version});
    *body = std::make_unique<CountedBody>(std::move(*body), open);
    return;  // it has only begun
  }
  durations_
      .With({labels.component, labels.dry_run, labels.group, labels.resource, labels.scope, labels.subresource,
             labels.verb, labels.version})
      .Observe(std::chrono::duration<double>(took).count());
  const auto* slices = std::get_if<std::vector<base::Slice>>(&response.body);
  if (slices == nullptr || (labels.verb != "GET" && labels.verb != "LIST")) return;
  size_t bytes = 0;
  for (const base::Slice& slice : *slices) bytes += slice.data.size();
  sizes_
      .With({labels.component, labels.group, labels.resource, labels.scope, labels.subresource, labels.verb,
             labels.version})
      .Observe(static_cast<double>(bytes));
}

void RequestMetrics::Follow(const FlowControl& flow_control) {
  metrics_.OnCollect([&in_flight = in_flight_, &flow_control] {
    in_flight.With({"readOnly"}).Set(flow_control.reading());
    in_flight.With({"mutating"}).Set(flow_control.mutating());
  });
}

}  // namespace pipeline
