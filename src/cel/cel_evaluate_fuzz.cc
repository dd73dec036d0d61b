// Any expression that checks, evaluated over a small document: ends within its limits, costs what the estimate allows.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "cel/program.h"
#include "value/json_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 2048) return 0;
  static const auto environment = [] {
    cel::Environment::Builder builder({.version = cel::kStoredExpressions});
    return builder.Declare("x", &cel::kDynType).Build();
  }();
  auto checked = cel::Check(environment, std::string_view(reinterpret_cast<const char*>(data), size));
  if (!checked) return 0;
  auto program = cel::MakeProgram(*checked);
  if (!program) return 0;
  static value::Arena arena;
  static const value::Value document =
      *value::ReadJson(R"({"a":[1,2.5,"s",{"b":null}],"m":{"k":"v"},"t":true})", arena);
  cel::Activation activation(*environment);
  activation.Bind("x", document);
  cel::Evaluation evaluation;
  evaluation.cost_limit = 20'000;
  evaluation.step_limit = 200'000;
  cel::Value result = (*program)->Evaluate(activation, evaluation);
  if (!result.is_error() && evaluation.cost > evaluation.cost_limit) std::abort();
  return 0;
}
