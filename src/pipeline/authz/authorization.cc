#include "pipeline/authz/authorization.h"

#include "base/text.h"

namespace pipeline {

exchange::Response Refuse(exchange::Exchange& exchange, const Attributes& attributes, std::string_view reason,
                          const ErrorWriter& write_error) {
  std::string message = EscapeHtml(RefusalText(attributes));
  if (!reason.empty()) base::Append(message, ": ", reason);
  exchange::Response response = write_error(
      exchange, api::Forbidden(std::move(message), {attributes.group, attributes.resource}, attributes.name));
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
