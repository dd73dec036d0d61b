// Where expressions of webhooks and policies are held against the expression language. Called by this group's rules,
// once for each expression that is there. One thread a checker; it borrows what it is given.
#pragma once

#include <cstdint>
#include <string_view>

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
};

// `text` without the white space around it.
std::string_view Trimmed(std::string_view text);

}  // namespace resources::admissionregistration
