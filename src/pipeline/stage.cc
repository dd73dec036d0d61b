#include "pipeline/stage.h"

#include <utility>

#include "api/quote.h"
#include "auth/authorizer.h"
#include "base/text.h"

namespace pipeline {

base::Task<exchange::Response> Ready(exchange::Response response) { co_return response; }

exchange::Response PlainText(int status, std::string_view text) {
  exchange::Response response;
  response.status = status;
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  response.headers.Add("x-content-type-options", "nosniff");
  response.body = std::vector<base::Slice>{base::Slice::Own(base::Cat(text, "\n"))};
  return response;
}

exchange::Response InternalServerError(const exchange::Exchange& exchange, std::string_view why) {
  const exchange::Request& request = exchange.request();
  std::string target = request.path;
  if (!request.raw_query.empty()) base::Append(target, "?", request.raw_query);
  return PlainText(500, auth::EscapeHtml(base::Cat("Internal Server Error: ", api::Quote(target), ": ", why)));
}

bool IsLongRunning(const api::RequestInfo& info) {
  if (info.verb == "watch" || info.verb == "proxy") return true;
  if (!info.is_resource_request) return info.path.starts_with("/debug/pprof/");
  const std::string_view subresource = info.subresource;
  return subresource == "attach" || subresource == "exec" || subresource == "proxy" || subresource == "log" ||
         subresource == "portforward";
}

}  // namespace pipeline
