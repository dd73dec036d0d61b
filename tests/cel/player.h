// How one vector is played: what an expression gave, beside what the vector expects.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cel/environment.h"
#include "cel/program.h"
#include "value/value.h"
#include "vector_values.h"

namespace vectors {

// What becomes of an expression.
struct Outcome {
  std::string compile_error, program_error;
  std::string type;
  cel::CostRange estimate;
  bool ran = false;
  cel::Value value;
  uint64_t cost = 0;
  std::unique_ptr<cel::Evaluation> evaluation = std::make_unique<cel::Evaluation>();
  std::shared_ptr<const cel::Program> program;
};

// Sizes as a vector states them, by path or by type.
class StatedSizes : public cel::SizeHints {
 public:
  // `own_costs`: with the costs of calls that the vector sets.
  StatedSizes(const value::Value& vector, bool own_costs) : vector_(vector), own_costs_(own_costs) {}
  std::optional<cel::SizeRange> Size(std::span<const std::string_view> path, const cel::Type& type) override;
  std::optional<uint64_t> CallCost(std::string_view overload) override;

 private:
  const value::Value& vector_;
  bool own_costs_;
};

cel::CostRange RangeOf(const value::Value& form);

// The environment that a vector's expression is for.
std::shared_ptr<const cel::Environment> EnvironmentOf(const value::Value& vector, cel::EnvironmentOptions options);
Outcome Run(const std::shared_ptr<const cel::Environment>& environment, const value::Value& vector,
            cel::SizeHints* hints, bool evaluate = true);

// "" if all is as the vector says, else the first difference. The second one for the files about admission, schemas and
// such, which have their own form; nullopt-like "?" for a form that it does not know.
std::string PlayExpression(const value::Value& vector);
std::string PlayKubernetes(std::string_view file, const value::Value& vector);
inline constexpr std::string_view kUnknownForm = "?";

std::string CheckExpectations(const value::Value& vector, const Outcome& outcome);

}  // namespace vectors
