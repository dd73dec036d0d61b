// Where expressions of webhooks and policies are held against the expression language. Called by this group's rules,
// once for each expression that is there. What is new is checked for the release before this one, so that a server that
// is rolled back can still run it; what was stored, for all that this one knows. Messages as kube-apiserver's. One
// thread a checker; it borrows what it is given. Cost: linear in the expression.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "cel/policy_environment.h"
#include "resources/rules/errors.h"

namespace resources::admissionregistration {

enum class ExpressionKind : uint8_t {
  kMatchCondition,      // bool
  kVariable,            // anything
  kValidation,          // bool
  kMessage,             // string
  kAuditAnnotation,     // string or null
  kApplyConfiguration,  // Object
  kJsonPatch,           // list of JSONPatch
};

struct Expression {
  ExpressionKind kind{};
  std::string_view text;      // what is compiled
  std::string_view reported;  // the bad value of errors
  std::string_view name;      // of a variable
  bool has_params = false, has_authorizer = true;
  // It was stored already: what newer servers know may stand in it.
  bool stored = false;
};

// The expressions of one webhook or policy, in their order: variables are known to those that follow.
class ExpressionChecker {
 public:
  // Puts what is wrong with `expression`.
  void Check(Errors& errors, const FieldPath& path, const Expression& expression);

 private:
  std::shared_ptr<const cel::Environment> EnvironmentOf(const Expression& expression);

  std::optional<cel::PolicyEnvironment> composed_;  // once there are variables
};

// `text` without the white space around it.
std::string_view Trimmed(std::string_view text);

}  // namespace resources::admissionregistration
