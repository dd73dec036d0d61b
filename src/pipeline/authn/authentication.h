// Authentication: the stage that finds out who sends a request and answers 401 where a credential does not hold.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/authn/authenticator.h"
#include "pipeline/stage.h"

namespace pipeline {

class Authentication final : public Stage {
 public:
  // `anonymous`: who brings no credential is system:anonymous; else 401.
  Authentication(std::vector<std::unique_ptr<Authenticator>> authenticators, bool anonymous, ErrorWriter write_error,
                 exchange::Handler& next);
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  // Null: nobody who may come in.
  std::shared_ptr<const api::User> Identify(exchange::Exchange& exchange) const;

  const std::vector<std::unique_ptr<Authenticator>> authenticators_;
  const std::shared_ptr<const api::User> anonymous_;  // null if nobody is
  const ErrorWriter write_error_;
};

// `user` with the group system:authenticated, which every known user is in.
std::shared_ptr<const api::User> WithAuthenticatedGroup(api::User user);

}  // namespace pipeline
