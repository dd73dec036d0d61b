// RequestAuthorizer: the variable `authorizer` of expressions, asked for the user of one request. Belongs to it.
#pragma once

#include "admission/plugins.h"
#include "base/text.h"

namespace admission {

class RequestAuthorizer final : public cel::Authorizer {
 public:
  // Both outlive it.
  RequestAuthorizer(const RequestRight& right, const api::User& user) : right_(right), user_(user) {}
  cel::AuthorizerDecision Authorize(const cel::AuthorizerCheck& check) override {
    if (!right_) return {};
    if (check.service_account_name.empty()) return right_(user_, check);
    const std::string_view in = check.service_account_namespace;
    const api::User account{.name = base::Cat("system:serviceaccount:", in, ":", check.service_account_name),
                            .uid = {},
                            .groups = {"system:serviceaccounts", base::Cat("system:serviceaccounts:", in)},
                            .extra = {}};
    return right_(account, check);
  }

 private:
  const RequestRight& right_;
  const api::User& user_;
};

}  // namespace admission
