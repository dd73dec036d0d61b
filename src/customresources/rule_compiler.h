// RuleCompiler: the rules of one schema (x-kubernetes-validations), compiled: called where a definition is written, to
// tell what is wrong with them, and where its objects are, to hold these to them.
//
// One thread. What it makes is immutable and keeps all it needs alive. Cost: that of compiling an expression, for each
// rule and each messageExpression.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "cel/declaration.h"
#include "cel/environment.h"
#include "cel/program.h"
#include "schema/structural.h"

namespace customresources {

struct CompiledRule {
  std::shared_ptr<const cel::Program> program;  // null with an error, and for an empty rule
  std::shared_ptr<const cel::Program> message;  // null where there is none, or it has an error
  std::string error, message_error;             // as the API shows them; "" none
  bool uses_old_self = false;
  uint64_t cost = 0, message_cost = 0;  // at most, of one evaluation
};

class RuleCompiler {
 public:
  // The versions of the language that expressions are held to.
  struct Versions {
    cel::Version rule, message;
  };
  // `self`, of `declarations`, is what rules see.
  RuleCompiler(std::shared_ptr<const cel::Declarations> declarations, const cel::Declaration& self)
      : declarations_(std::move(declarations)), self_(self) {}

  CompiledRule Compile(const schema::ValidationRule& rule, const Versions& versions);

 private:
  std::shared_ptr<const cel::Environment> EnvironmentOf(cel::Version version, bool optional_old_self);

  const std::shared_ptr<const cel::Declarations> declarations_;
  const cel::Declaration& self_;
  std::array<std::shared_ptr<const cel::Environment>, 4> environments_;
};

// The variables' names.
inline constexpr std::string_view kSelf = "self", kOldSelf = "oldSelf";

// Without the white space around it.
std::string_view Trimmed(std::string_view text);

}  // namespace customresources
