// What the authorizer variable of expressions asks: may this user do that. Implemented by whoever evaluates.
#pragma once

#include <string>
#include <string_view>

namespace cel {

struct AuthorizerCheck {
  std::string_view service_account_namespace, service_account_name;  // asked for this account instead of the user
  bool is_resource = false;
  std::string_view path;  // of a request for no resource
  std::string_view group, resource, subresource, namespace_name, name;
  std::string_view field_selector, label_selector;  // as written; "" is none
  std::string_view verb;
};

struct AuthorizerDecision {
  bool allowed = false;
  bool errored = false;
  std::string reason, error;
};

// Called on the evaluating thread.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual AuthorizerDecision Authorize(const AuthorizerCheck& check) = 0;
};

}  // namespace cel
