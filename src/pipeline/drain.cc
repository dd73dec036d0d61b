#include "pipeline/drain.h"

#include "api/status.h"
#include "base/text.h"

namespace pipeline {
namespace {

bool IsExempt(const exchange::Exchange& exchange, const api::RequestInfo& info) {
  for (std::string_view prefix : {"/readyz", "/livez", "/healthz", "/metrics"}) {
    if (info.path.starts_with(prefix)) return true;
  }
  return exchange.request().headers.Get("user-agent").starts_with("kube-apiserver/");
}

}  // namespace

base::Task<exchange::Response> Drain::Handle(exchange::Exchange& exchange) {
  const api::RequestInfo& info = exchange.context().info;
  if (!draining_.load(std::memory_order_acquire) || IsExempt(exchange, info)) return next_.Handle(exchange);
  if (options_.send_retry_after) {
    exchange::Response later = PlainText(429, "The apiserver is shutting down, please try again later.");
    later.headers.Add("retry-after", "5");
    later.headers.Add("connection", "close");
    return Ready(std::move(later));
  }
  const bool refused_watch = options_.refuse_watches && info.verb == "watch";
  if (IsLongRunning(info) && !refused_watch) return next_.Handle(exchange);
  exchange::Response response;
  response.status = 503;
  response.headers.Add("retry-after", "1");
  response.headers.Add("content-type", "application/json");
  response.headers.Add("x-content-type-options", "nosniff");
  response.body = std::vector<base::Slice>{
      base::Slice::Own(base::Cat(api::StatusJson(api::ServiceUnavailable("apiserver is shutting down")), "\n\n"))};
  return Ready(std::move(response));
}

}  // namespace pipeline
