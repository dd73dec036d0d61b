#include "pipeline/authorization.h"

namespace pipeline {

exchange::Response Refuse(exchange::Exchange& exchange, const auth::Attributes& attributes, std::string_view reason,
                          const ErrorWriter& write_error) {
  exchange::Response response = write_error(exchange, auth::Refusal(attributes, reason));
  response.headers.Add("x-content-type-options", "nosniff");
  return response;
}

base::Task<exchange::Response> Authorization::Handle(exchange::Exchange& exchange) {
  const api::RequestContext& context = exchange.context();
  const auth::Attributes attributes = auth::AttributesOf(context);
  const auth::Decision decision = authorizer_.Authorize(attributes);
  if (decision.allowed()) return next_.Handle(exchange);
  if (decision.must_wait()) return exchange.head_only() ? Ready(GoOn()) : HandleSlowly(exchange);
  return Ready(Refuse(exchange, attributes, decision.reason, write_error_));
}

base::Task<exchange::Response> Authorization::HandleSlowly(exchange::Exchange& exchange) {
  const api::RequestContext& context = exchange.context();
  const auth::Attributes attributes = auth::AttributesOf(context);
  const auth::Decision decision =
      co_await authorizer_.AuthorizeAsync(attributes, /*explain=*/false, exchange.executor());
  if (!decision.allowed()) co_return Refuse(exchange, attributes, decision.reason, write_error_);
  co_return co_await next_.Handle(exchange);
}

}  // namespace pipeline
