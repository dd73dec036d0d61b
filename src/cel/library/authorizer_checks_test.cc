#include "cel/library/authorizer_checks.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace cel::library {
namespace {

// Notes what it is asked and allows "get".
class FakeAuthorizer : public Authorizer {
 public:
  AuthorizerDecision Authorize(const AuthorizerCheck& check) override {
    asked = check.is_resource
                ? base::Cat(check.service_account_namespace, ":", check.service_account_name, " ", check.verb, " ",
                            check.group, "/", check.resource, "/", check.subresource, " ", check.namespace_name, "/",
                            check.name, " ", check.field_selector, " ", check.label_selector)
                : base::Cat(check.verb, " ", check.path);
    return {.allowed = check.verb == "get", .errored = check.verb == "?", .reason = "because", .error = "broken"};
  }
  std::string asked;
};

TEST(AuthorizerChecks, AskForResources) {
  value::Arena arena;
  FakeAuthorizer authorizer;
  Value value = WithServiceAccount(arena, AuthorizerValue(arena, authorizer), "ns", "robot");
  value = WithResource(arena, WithGroup(arena, value, "apps"), "deployments");
  value = With(arena, value, &AuthorizerCheck::subresource, "scale");
  value = With(arena, value, &AuthorizerCheck::namespace_name, "default");
  value = With(arena, value, &AuthorizerCheck::name, "web");
  value = With(arena, value, &AuthorizerCheck::field_selector, "a=b");
  const Value before = value;
  value = With(arena, value, &AuthorizerCheck::label_selector, "c");
  const Value decision = CheckVerb(arena, value, "get");
  EXPECT_EQ(authorizer.asked, "ns:robot get apps/deployments/scale default/web a=b c");
  EXPECT_TRUE(decision.opaque<Decision>().allowed);
  EXPECT_EQ(decision.opaque<Decision>().reason, "because");
  CheckVerb(arena, before, "?");  // a step changes a copy
  EXPECT_EQ(authorizer.asked, "ns:robot ? apps/deployments/scale default/web a=b ");
}

TEST(AuthorizerChecks, AskForPaths) {
  value::Arena arena;
  FakeAuthorizer authorizer;
  const Value value = AuthorizerValue(arena, authorizer);
  const Decision decision = CheckVerb(arena, WithPath(arena, value, "/healthz"), "?").opaque<Decision>();
  EXPECT_EQ(authorizer.asked, "? /healthz");
  EXPECT_FALSE(decision.allowed);
  EXPECT_TRUE(decision.errored);
  EXPECT_EQ(decision.error, "broken");
}

TEST(AuthorizerChecks, RefuseWhatNamesNothing) {
  value::Arena arena;
  FakeAuthorizer authorizer;
  const Value value = AuthorizerValue(arena, authorizer);
  EXPECT_EQ(WithPath(arena, value, " \t").text(), "path must not be empty");
  EXPECT_EQ(WithResource(arena, WithGroup(arena, value, ""), " ").text(), "resource must not be empty");
  EXPECT_EQ(WithServiceAccount(arena, value, "ns", "Robot").text(), "Invalid service account name");
  EXPECT_EQ(WithServiceAccount(arena, value, "a.b", "robot").text(), "Invalid service account namespace");
}

}  // namespace
}  // namespace cel::library
