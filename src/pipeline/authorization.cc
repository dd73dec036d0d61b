#include "pipeline/authorization.h"

#include "api/audit_record.h"

namespace pipeline {

exchange::Response Refuse(exchange::Exchange& exchange, const auth::Attributes& attributes, std::string_view reason,
                          const ErrorWriter& write_error) {
  exchange::Response response = write_error(exchange, auth::Refusal(attributes, reason));
  response.headers.Add("x-content-type-options", "nosniff");
  return response;
}

namespace {

void Annotate(api::RequestContext& context, const auth::Decision& decision) {
  if (!context.audit) return;
  api::AddAuditAnnotation(context, "authorization.k8s.io/decision", decision.allowed() ? "allow" : "forbid");
  api::AddAuditAnnotation(context, "authorization.k8s.io/reason", decision.reason);
}

}  // namespace

base::Task<exchange::Response> Authorization::Handle(exchange::Exchange& exchange) {
  api::RequestContext& context = exchange.context();
  const auth::Attributes attributes = auth::AttributesOf(context);
  const auth::Decision decision = authorizer_.Authorize(attributes, /*explain=*/context.audit != nullptr);
  if (!decision.must_wait()) Annotate(context, decision);
  if (decision.allowed()) return next_.Handle(exchange);
  if (decision.must_wait()) return exchange.head_only() ? Ready(GoOn()) : HandleSlowly(exchange);
  return Ready(Refuse(exchange, attributes, decision.reason, write_error_));
}

base::Task<exchange::Response> Authorization::HandleSlowly(exchange::Exchange& exchange) {
  api::RequestContext& context = exchange.context();
  const auth::Attributes attributes = auth::AttributesOf(context);
  const auth::Decision decision =
      co_await authorizer_.AuthorizeAsync(attributes, /*explain=*/context.audit != nullptr, exchange.executor());
  Annotate(context, decision);
  if (!decision.allowed()) co_return Refuse(exchange, attributes, decision.reason, write_error_);
  co_return co_await next_.Handle(exchange);
}

}  // namespace pipeline
