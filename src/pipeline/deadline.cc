#include "pipeline/deadline.h"

#include <utility>

#include "api/duration.h"
#include "base/text.h"

namespace pipeline {
namespace {

// The body of an expired request, written past all negotiation: a Status without its kind.
constexpr std::string_view kExpired =
    R"({"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout",)"
    R"("reason":"Timeout","details":{},"code":504})"
    "\n";

exchange::Response Expired() {
  exchange::Response response;
  response.status = 504;
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  response.body = std::vector<base::Slice>{base::Slice::Static(kExpired)};
  return response;
}

}  // namespace

base::Task<exchange::Response> Deadline::Handle(exchange::Exchange& exchange) {
  api::RequestContext& context = exchange.context();
  if (IsLongRunning(context.info)) return next_.Handle(exchange);
  std::chrono::nanoseconds limit = limit_;
  const std::string_view asked = context.query.Get("timeout");
  if (!asked.empty()) {
    const auto parsed = api::ParseDuration(asked);
    if (!parsed) {
      return Ready(write_error_(
          exchange, api::BadRequest(base::Cat("invalid timeout specified in the request URL - ", parsed.error()))));
    }
    if (*parsed > std::chrono::nanoseconds(0) && *parsed < limit) limit = *parsed;
  }
  context.deadline = clock_.Monotonic() + limit;
  return HandleUntil(exchange);
}

base::Task<exchange::Response> Deadline::HandleUntil(exchange::Exchange& exchange) {
  api::RequestContext& context = exchange.context();
  const size_t known = context.response_headers.size();
  exchange::Response response = co_await next_.Handle(exchange);
  if (response.status != 504 || clock_.Monotonic() < context.deadline) co_return response;
  context.response_headers.resize(known);  // what the later stages wanted to say goes with their answer
  co_return Expired();
}

}  // namespace pipeline
