// Program: an expression that has been checked, as flat immutable code; and what is needed to run it.
//
//   auto checked = Check(environment, "object.spec.replicas <= 5");
//   auto program = MakeProgram(std::move(*checked));
//   Activation activation((*program)->environment());
//   activation.Bind("object", document);
//   Evaluation evaluation;
//   Value result = (*program)->Evaluate(activation, evaluation);
//
// Programs and environments are shared between threads; an Activation and an Evaluation belong to one.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/cost.h"
#include "cel/environment.h"
#include "cel/source.h"
#include "cel/value.h"

namespace cel {

struct Ast;
struct Code;

// An expression with its types.
class CheckedExpression {
 public:
  explicit CheckedExpression(std::shared_ptr<const Environment> environment, std::unique_ptr<Ast> ast);
  CheckedExpression(CheckedExpression&&) noexcept;
  CheckedExpression& operator=(CheckedExpression&&) noexcept;
  ~CheckedExpression();

  const Type& type() const;
  const Ast& ast() const { return *ast_; }
  const std::shared_ptr<const Environment>& environment() const { return environment_; }
  // The least and most that an evaluation can cost, with sizes from the variables' declarations.
  CostRange EstimateCost() const;
  CostRange EstimateCost(SizeHints& hints) const;

 private:
  std::shared_ptr<const Environment> environment_;
  std::unique_ptr<Ast> ast_;
};

// Parses and checks. The error is the text that the API shows: each issue with its place, line and caret.
std::expected<CheckedExpression, std::string> Check(const std::shared_ptr<const Environment>& environment,
                                                    std::string_view text);

// Values of an environment's variables for one evaluation. What is bound must outlive it.
class Activation {
 public:
  explicit Activation(const Environment& environment);
  // False if the environment has no such variable.
  bool Bind(std::string_view name, const Value& value);
  // Reads `document`, in place, as the variable's declaration says.
  bool Bind(std::string_view name, const value::Value& document);
  void BindAt(int variable, const Value& value) {
    values_[static_cast<size_t>(variable)] = value;
    bound_[static_cast<size_t>(variable)] = true;
  }
  const Value* Get(int variable) const {
    return bound_[static_cast<size_t>(variable)] ? &values_[static_cast<size_t>(variable)] : nullptr;
  }

 private:
  const Environment& environment_;
  std::vector<Value> values_;
  std::vector<bool> bound_;
};

inline constexpr uint64_t kPerCallLimit = 1'000'000;

// One evaluation's memory and limits. May be used again for the next (Reset), which invalidates earlier results.
struct Evaluation {
  // `first_block` bytes are allocated when the first are needed.
  explicit Evaluation(size_t first_block = 4096) : arena(first_block) {}

  value::Arena arena;
  uint64_t cost_limit = kPerCallLimit;
  uint64_t cost = 0;                 // so far
  uint64_t step_limit = 20'000'000;  // work that no cost counts
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  bool limit_exceeded = false;  // the result is then the error of that
};

class Program {
 public:
  ~Program();
  Program(const Program&) = delete;
  const Type& output_type() const { return *output_; }
  const Environment& environment() const { return *environment_; }
  // The result; an error value has its text. Adds to `evaluation.cost`.
  Value Evaluate(const Activation& activation, Evaluation& evaluation) const;
  size_t memory() const;  // bytes

 private:
  friend std::expected<std::shared_ptr<const Program>, std::string> MakeProgram(const CheckedExpression& checked);
  Program();
  std::shared_ptr<const Environment> environment_;
  std::unique_ptr<TypePool> types_;
  const Type* output_ = nullptr;
  std::unique_ptr<Code> code_;
};

// Folds constants and makes code. The error is what the folding ran into.
std::expected<std::shared_ptr<const Program>, std::string> MakeProgram(const CheckedExpression& checked);

}  // namespace cel
