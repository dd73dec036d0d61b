// What expressions cost: the estimate before anything runs. Equal to the API server's, since it decides what is
// refused.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cel/type.h"

namespace cel {

class Environment;
struct Ast;

// A least and a most; sums and products saturate.
struct CostRange {
  uint64_t min = 0;
  uint64_t max = 0;
  bool operator==(const CostRange&) const = default;
};
using SizeRange = CostRange;

// Where sizes that an expression does not show come from.
class SizeHints {
 public:
  virtual ~SizeHints() = default;
  // Sizes of what lies at `path`: a variable's name, then field names, "@items", "@keys", "@values". Empty where the
  // value is no part of a variable.
  virtual std::optional<SizeRange> Size(std::span<const std::string_view> path, const Type& type) = 0;
  // Overrides the cost of one overload (tests of cel-go's own tables).
  virtual std::optional<uint64_t> CallCost(std::string_view overload) {
    (void)overload;
    return std::nullopt;
  }
};

// From the declarations of the environment's variables.
class DeclaredSizes : public SizeHints {
 public:
  explicit DeclaredSizes(const Environment& environment) : environment_(environment) {}
  std::optional<SizeRange> Size(std::span<const std::string_view> path, const Type& type) override;

 private:
  const Environment& environment_;
};

CostRange EstimateCost(const Ast& ast, const Environment& environment, SizeHints& hints);

}  // namespace cel
