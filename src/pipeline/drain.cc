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
  if (!draining_.load(std::memory_order_acquire) || IsLongRunning(info) || IsExempt(exchange, info)) {
    return next_.Handle(exchange);
  }
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
