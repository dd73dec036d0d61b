// Any text through the lexer, the parser, the checker and the estimate: bounded, without a fault, and the same twice.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "cel/program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 4096) return 0;
  static const auto environment = [] {
    cel::Environment::Builder builder({.version = cel::kStoredExpressions});
    return builder.Declare("x", &cel::kDynType)
        .Declare("s", &cel::kStringType)
        .Declare("l", &cel::kDynListType)
        .Build();
  }();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto checked = cel::Check(environment, text);
  auto again = cel::Check(environment, text);
  if (checked.has_value() != again.has_value()) std::abort();
  if (!checked) {
    if (checked.error() != again.error() || checked.error().empty()) std::abort();
    return 0;
  }
  cel::CostRange estimate = checked->EstimateCost();
  if (estimate.min > estimate.max) std::abort();
  return 0;
}
