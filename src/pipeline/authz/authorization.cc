#include "pipeline/authz/authorization.h"

#include "base/text.h"

namespace pipeline {

api::Error Refusal(const Attributes& attributes, std::string_view reason) {
  std::string message = EscapeHtml(RefusalText(attributes));
  if (!reason.empty()) base::Append(message, ": ", reason);
  return api::Forbidden(std::move(message), {attributes.group, attributes.resource}, attributes.name);
}

exchange::Response Refuse(exchange::Exchange& exchange, const Attributes& attributes, std::string_view reason,
                          const ErrorWriter& write_error) {
  exchange::Response response = write_error(exchange, Refusal(attributes, reason));
  response.headers.Add("x-content-type-options", "nosniff");
  return response;
}

base::Task<exchange::Response> Authorization::Handle(exchange::Exchange& exchange) {
  const api::RequestContext& context = exchange.context();
  const Attributes attributes = AttributesOf(context.user, context.info);
  const Decision decision = authorizer_.Authorize(attributes);
  if (decision.allowed()) return next_.Handle(exchange);
  return Ready(Refuse(exchange, attributes, decision.reason, write_error_));
}

}  // namespace pipeline
