// The variables of a policy: expressions with names, each of which may use those before it, all of them fields of the
// variable `variables`. Each is evaluated when an expression first asks for it, at most once, and its cost counts then.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/program.h"

namespace cel {

// What `variables` is, while the expressions are compiled: add each when it has been compiled. Not thread-safe.
class VariablesType {
 public:
  VariablesType();
  // The declaration of `variables` with what has been added so far, in a Declarations of its own.
  std::pair<const Declaration*, std::shared_ptr<const Declarations>> Declare() const;
  // An expression that did not compile gives a field of no known type. Of two of one name the last one counts.
  void Add(std::string_view name, const Type& type);

 private:
  struct Field {
    std::string name;
    const Type* type;
  };
  std::shared_ptr<TypePool> types_;
  std::vector<Field> fields_;
};

struct ComposedVariable {
  std::string name;
  std::shared_ptr<const Program> program;
  std::string error;  // why there is no program: what did not compile
};

// The values of one evaluation: bind Value::Lazy(&values) to `variables`. All programs have the variables of
// `activation`'s environment by the same indexes.
class VariableValues : public LazyFields {
 public:
  // `variables` are sorted by name, each name once. `activation` and `arena` outlive this; results live as long as
  // this.
  VariableValues(std::span<const ComposedVariable> variables, Activation& activation, value::Arena& arena)
      : variables_(variables),
        activation_(activation),
        arena_(arena),
        values_(variables.size()),
        known_(variables.size()) {}
  bool Get(std::string_view name, Value& result) override;
  uint64_t cost() const { return cost_; }  // of those that were asked for

 private:
  std::span<const ComposedVariable> variables_;
  Activation& activation_;
  value::Arena& arena_;
  std::vector<Value> values_;
  std::vector<uint8_t> known_;  // 1: computed, 2: being computed
  std::vector<std::unique_ptr<Evaluation>> evaluations_;
  uint64_t cost_ = 0;
};

}  // namespace cel
