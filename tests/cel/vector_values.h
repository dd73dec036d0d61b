// Values of vector files (one-key objects: {"int": "1"}, {"list": [...]}) and what they are as values of expressions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cel/authorizer.h"
#include "cel/value.h"
#include "value/value.h"

namespace vectors {

// Answers everything in one way: "allow", "deny", "error"; or allows just one request.
class StandInAuthorizer : public cel::Authorizer {
 public:
  explicit StandInAuthorizer(const value::Value& spec) : spec_(spec) {}
  cel::AuthorizerDecision Authorize(const cel::AuthorizerCheck& check) override;

 private:
  value::Value spec_;
};

class Values {
 public:
  explicit Values(value::Arena& arena) : arena_(arena) {}
  // An error value for a form that is not known.
  cel::Value Make(const value::Value& form);
  cel::Value MakeAuthorizer(const value::Value& spec, bool request_resource, const value::Value& request);

 private:
  value::Arena& arena_;
  std::vector<std::unique_ptr<StandInAuthorizer>> authorizers_;
};

// Whether `value` is what `form` says; `any_order`: a list may have its items in any order.
bool Matches(const value::Value& form, const cel::Value& value, bool any_order);
// The value in the form of vector files, as JSON.
std::string Show(const cel::Value& value);

}  // namespace vectors
