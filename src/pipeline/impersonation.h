// Impersonation: a user who may acts as another one, named by Impersonate-* headers. From here on the request is the
// other user's.
#pragma once

#include "auth/authorizer.h"
#include "pipeline/stage.h"

namespace pipeline {

class Impersonation final : public Stage {
 public:
  Impersonation(const auth::Authorizer& authorizer, ErrorWriter write_error, exchange::Handler& next)
      : Stage(next), authorizer_(authorizer), write_error_(std::move(write_error)) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  base::Task<exchange::Response> HandleSlowly(exchange::Exchange& exchange);

  const auth::Authorizer& authorizer_;
  const ErrorWriter write_error_;
};

}  // namespace pipeline
