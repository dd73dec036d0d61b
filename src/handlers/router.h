// Router: the innermost Handler, behind the pipeline: sends each request to the endpoint, the discovery document or the
// verb that its path and method name, and turns what fails into a Status. Any thread, many requests at a time; refers
// to what it is made of.
#pragma once

#include "exchange/exchange.h"
#include "handlers/endpoints/endpoints.h"
#include "handlers/route.h"
#include "handlers/scope.h"

namespace handlers {

class Router final : public exchange::Handler {
 public:
  // `discovery` answers /api, /apis and the groups and versions below them that exist.
  Router(const Dependencies& services, const Endpoints& endpoints, exchange::Handler& discovery)
      : services_(services), endpoints_(endpoints), discovery_(discovery) {}

  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  base::Task<exchange::Response> ServeResource(exchange::Exchange& exchange, const registry::ResourceTable& resources,
                                               Route route);

  const Dependencies& services_;
  const Endpoints& endpoints_;
  exchange::Handler& discovery_;
};

}  // namespace handlers
