#include "pipeline/authentication.h"

#include <utility>

namespace pipeline {

Authentication::Authentication(std::vector<std::unique_ptr<auth::Authenticator>> authenticators, bool anonymous,
                               ErrorWriter write_error, exchange::Handler& next)
    : Stage(next),
      authenticators_(std::move(authenticators)),
      anonymous_(anonymous ? std::make_shared<const api::User>(
                                 api::User{.name = "system:anonymous", .groups = {"system:unauthenticated"}})
                           : nullptr),
      write_error_(std::move(write_error)) {}

auth::Identity Authentication::Identify(exchange::Exchange& exchange) const {
  bool rejected = false;
  for (const auto& authenticator : authenticators_) {
    auth::Identity identity = authenticator->Authenticate(exchange);
    using enum auth::Identity::Outcome;
    if (identity.outcome == kUser || identity.outcome == kMustWait) return identity;
    rejected = rejected || identity.outcome == kRejected;
  }
  return auth::Identity::Of(OrAnonymous(rejected));
}

base::Task<exchange::Response> Authentication::Handle(exchange::Exchange& exchange) {
  const auth::Identity identity = Identify(exchange);
  if (identity.outcome != auth::Identity::Outcome::kMustWait) return GoOnAs(exchange, identity.user);
  return exchange.head_only() ? Ready(GoOn()) : HandleSlowly(exchange);
}

base::Task<exchange::Response> Authentication::HandleSlowly(exchange::Exchange& exchange) {
  bool rejected = false;
  for (const auto& authenticator : authenticators_) {
    auth::Identity identity = co_await authenticator->AuthenticateAsync(exchange);
    if (identity.outcome == auth::Identity::Outcome::kUser) co_return co_await GoOnAs(exchange, identity.user);
    rejected = rejected || identity.outcome == auth::Identity::Outcome::kRejected;
  }
  co_return co_await GoOnAs(exchange, OrAnonymous(rejected));
}

base::Task<exchange::Response> Authentication::GoOnAs(exchange::Exchange& exchange, const User& user) {
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
