#include "handlers/endpoints/fixed_document.h"

#include "base/text.h"
#include "handlers/negotiation.h"
#include "handlers/respond.h"

namespace handlers {
namespace {

api::Error Refusal(int code, std::string_view reason, std::string message) {
  api::Error error;
  error.code = code;
  error.reason = reason;
  error.message = std::move(message);
  error.has_details = true;
  return error;
}

// Whether an Accept header names `type` or anything; parameters are not looked at.
bool Accepts(std::string_view accept, std::string_view type) {
  if (accept.empty()) return true;
  while (!accept.empty()) {
    const size_t comma = accept.find(',');
    const std::string_view member = accept.substr(0, comma);
    accept = comma == std::string_view::npos ? std::string_view() : accept.substr(comma + 1);
    const std::string_view offered = base::TrimSpace(member.substr(0, member.find(';')));
    if (offered == "*/*" || offered == type) return true;
  }
  return false;
}

}  // namespace

exchange::Response FixedDocument::Answer(exchange::Exchange& exchange) const {
  const exchange::Request& request = exchange.request();
  const std::string_view path = exchange.context().info.path;
  if (path != facts_.path && path != base::Cat(facts_.path, "/")) {
    return RespondError(exchange, api::UnknownResource("", {}, ""));
  }
  if (request.method != "GET") {
    return RespondError(
        exchange, Refusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource"));
  }
  const std::string_view taken[] = {facts_.media_type};
  if (auto sent = CheckContentType(request, taken); facts_.takes_it_only && !sent)
    return RespondError(exchange, sent.error());
  if (!Accepts(request.headers.Get("accept"), facts_.media_type)) {
    return RespondError(exchange,
                        Refusal(406, "NotAcceptable",
                                base::Cat("406: Not Acceptable\n\nAvailable representations: ", facts_.media_type)));
  }
  exchange::Response response = RespondText(200, facts_.media_type, make_());
  if (!facts_.cache_control.empty()) response.headers.Add("cache-control", facts_.cache_control);
  return response;
}

base::Task<exchange::Response> FixedDocument::Handle(exchange::Exchange& exchange) { co_return Answer(exchange); }

}  // namespace handlers
