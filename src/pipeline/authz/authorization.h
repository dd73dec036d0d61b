// Authorization: the stage that answers 403 to what a user may not do.
#pragma once

#include "pipeline/authz/authorizer.h"
#include "pipeline/stage.h"

namespace pipeline {

class Authorization final : public Stage {
 public:
  Authorization(const Authorizer& authorizer, ErrorWriter write_error, exchange::Handler& next)
      : Stage(next), authorizer_(authorizer), write_error_(std::move(write_error)) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  const Authorizer& authorizer_;
  const ErrorWriter write_error_;
};

// What is said to who may not do what `attributes` say, with `reason` behind it unless that is empty.
api::Error Refusal(const Attributes& attributes, std::string_view reason);

// The same as an answer.
exchange::Response Refuse(exchange::Exchange& exchange, const Attributes& attributes, std::string_view reason,
                          const ErrorWriter& write_error);

}  // namespace pipeline
