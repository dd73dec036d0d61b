#include "pipeline/authn/authentication.h"

#include <utility>

namespace pipeline {

std::shared_ptr<const api::User> WithAuthenticatedGroup(api::User user) {
  if (user.name != "system:anonymous" && !user.InGroup("system:authenticated") &&
      !user.InGroup("system:unauthenticated")) {
    user.groups.push_back("system:authenticated");
  }
  return std::make_shared<const api::User>(std::move(user));
}

Authentication::Authentication(std::vector<std::unique_ptr<Authenticator>> authenticators, bool anonymous,
                               ErrorWriter write_error, exchange::Handler& next)
    : Stage(next),
      authenticators_(std::move(authenticators)),
      anonymous_(anonymous ? std::make_shared<const api::User>(
                                 api::User{.name = "system:anonymous", .groups = {"system:unauthenticated"}})
                           : nullptr),
      write_error_(std::move(write_error)) {}

std::shared_ptr<const api::User> Authentication::Identify(exchange::Exchange& exchange) const {
  bool rejected = false;
  for (const auto& authenticator : authenticators_) {
    Identity identity = authenticator->Authenticate(exchange);
    if (identity.outcome == Identity::Outcome::kUser) return std::move(identity.user);
    rejected = rejected || identity.outcome == Identity::Outcome::kRejected;
  }
  return rejected ? nullptr : anonymous_;
}

base::Task<exchange::Response> Authentication::Handle(exchange::Exchange& exchange) {
  const std::shared_ptr<const api::User> user = Identify(exchange);
  // HTTP/2 is costly for the server and easily abused: nobody unknown keeps a connection of it beyond one request.
  const bool unknown = !user || user->name == "system:anonymous";
  if (unknown && exchange.request().http_major == 2) {
    exchange.context().response_headers.emplace_back("connection", "close");
  }
  if (!user) return Ready(write_error_(exchange, api::Unauthorized()));
  exchange.context().user = *user;
  return next_.Handle(exchange);
}

}  // namespace pipeline
