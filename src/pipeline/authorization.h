// Authorization: the stage that answers 403 to what a user may not do.
#pragma once

#include "auth/authorizer.h"
#include "pipeline/stage.h"

namespace pipeline {

class Authorization final : public Stage {
 public:
  Authorization(const auth::Authorizer& authorizer, ErrorWriter write_error, exchange::Handler& next)
      : Stage(next), authorizer_(authorizer), write_error_(std::move(write_error)) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  base::Task<exchange::Response> HandleSlowly(exchange::Exchange& exchange);

  const auth::Authorizer& authorizer_;
  const ErrorWriter write_error_;
};

// auth::Refusal as an answer.
exchange::Response Refuse(exchange::Exchange& exchange, const auth::Attributes& attributes, std::string_view reason,
                          const ErrorWriter& write_error);

}  // namespace pipeline
