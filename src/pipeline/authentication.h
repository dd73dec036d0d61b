// Authentication: the stage that finds out who sends a request and answers 401 where a credential does not hold.
#pragma once

#include <memory>
#include <vector>

#include "auth/authenticator.h"
#include "pipeline/stage.h"

namespace pipeline {

class Authentication final : public Stage {
 public:
  // `anonymous`: who brings no credential is system:anonymous; else 401.
  Authentication(std::vector<std::unique_ptr<auth::Authenticator>> authenticators, bool anonymous,
                 ErrorWriter write_error, exchange::Handler& next);
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  using User = std::shared_ptr<const api::User>;
  // Who it is, without waiting: a user, rejected (nobody who may come in), or that it has to be waited for.
  auth::Identity Identify(exchange::Exchange& exchange) const;
  base::Task<exchange::Response> HandleSlowly(exchange::Exchange& exchange);
  // `user` null: 401.
  base::Task<exchange::Response> GoOnAs(exchange::Exchange& exchange, const User& user);
  User OrAnonymous(bool rejected) const { return rejected ? nullptr : anonymous_; }

  const std::vector<std::unique_ptr<auth::Authenticator>> authenticators_;
  const std::shared_ptr<const api::User> anonymous_;  // null if nobody is
  const ErrorWriter write_error_;
};

}  // namespace pipeline
