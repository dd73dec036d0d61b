// For tests: an expression in, what became of it as a text out.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cel/program.h"
#include "cel/text.h"

namespace cel {

inline std::shared_ptr<const Environment> TestEnvironment(EnvironmentOptions options = {
                                                              .version = kStoredExpressions}) {
  Environment::Builder builder(std::move(options));
  for (const char* name : {"x", "y", "object"}) builder.Declare(name, &kDynType);
  return builder.Build();
}

struct Ran {
  std::string text;  // the result, or the error
  std::string type;
  uint64_t cost = 0;
  bool limit_exceeded = false;
};

// `x`, `y`: values of the variables; documents of `object`.
inline Ran RunExpression(std::string_view text, const Value& x = {}, const Value& y = {},
                         uint64_t limit = kPerCallLimit, EnvironmentOptions options = {.version = kStoredExpressions}) {
  auto environment = TestEnvironment(std::move(options));
  auto checked = Check(environment, text);
  if (!checked) return {.text = checked.error()};
  auto program = MakeProgram(*checked);
  if (!program) return {.text = "program: " + program.error()};
  Activation activation(*environment);
  activation.Bind("x", x);
  activation.Bind("y", y);
  Evaluation evaluation;
  evaluation.cost_limit = limit;
  Value result = (*program)->Evaluate(activation, evaluation);
  return {.text = (result.is_error() ? "error: " : "") + Shown(result),
          .type = std::string(TypeName(result)),
          .cost = evaluation.cost,
          .limit_exceeded = evaluation.limit_exceeded};
}

}  // namespace cel
