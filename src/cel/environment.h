// Environment: what an expression may use: variables with their types, the functions of a version, the options that
// the API server sets. Made once, then immutable and shared; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/declaration.h"
#include "cel/functions.h"

namespace cel {

// A version of Kubernetes that expressions must work with: 1.31 is {1, 31}.
struct Version {
  int major = 1;
  int minor = 31;
  auto operator<=>(const Version&) const = default;
};

// Everything that this program knows: expressions read back from storage, and those of configuration files.
inline constexpr Version kStoredExpressions{1, 32};
// What a new or changed expression is checked with in 1.32.
inline constexpr Version kNewExpressions{1, 31};

struct EnvironmentOptions {
  Version version = kNewExpressions;
  bool authorize_with_selectors = true;  // the feature gate
  bool presence_test_has_cost = false;   // has() costs 1
  bool fold_constants = true;            // cel-go's OptOptimize
  bool kubernetes_costs = true;          // the library's cost estimator
  bool homogeneous_literals = true;
  bool all_libraries = false;              // as cel-go's own tests: whatever the version
  bool patches = false;                    // the functions of mutating policies
  std::string container;                   // names are looked up in it first
  uint32_t max_expression_size = 100'000;  // code points
  uint32_t max_depth = 250;
};

struct Variable {
  std::string name;
  const Type* type = nullptr;
  const Declaration* declaration = nullptr;  // nullptr: the value says what it is
};

class Environment {
 public:
  // `declarations` owns the declarations and types of the variables; it may be null where they are basic.
  class Builder {
   public:
    explicit Builder(EnvironmentOptions options = {});
    Builder& Declare(std::string_view name, const Type* type);
    Builder& Declare(std::string_view name, const Declaration* declaration);
    // Keeps what variables refer to alive.
    Builder& Keep(std::shared_ptr<const Declarations> declarations);
    // Extra functions for tests of the checker: they have types and no code.
    Builder& DeclareFunction(std::string_view name, std::string_view overload, bool member,
                             std::span<const Type* const> arguments, const Type* result);
    // Object types named `root`, or "<root>.<anything>", that may have any field: patches of mutating policies.
    Builder& DeclareOpenTypes(std::string_view root);
    TypePool& types();
    std::shared_ptr<const Environment> Build();

   private:
    std::shared_ptr<Environment> made_;
  };

  const EnvironmentOptions& options() const { return options_; }
  const std::vector<Variable>& variables() const { return variables_; }
  // Its index, or -1.
  int FindVariable(std::string_view name) const;
  const Function* FindFunction(std::string_view name) const;
  bool Has(const Overload& overload) const;
  bool HasFunction(const Function& function) const;
  bool has_optionals() const { return at_least(28); }
  bool has_cross_type_comparisons() const { return at_least(28); }
  bool has_validators() const { return at_least(29); }
  bool has_two_variable_comprehensions() const { return at_least(32); }
  // The object declaration of that type name, or nullptr.
  const Declaration* FindStruct(std::string_view name) const;
  bool IsOpenType(std::string_view name) const;
  // The type that `name` names as an expression ("int", "list", "net.IP"), or nullptr.
  const Type* FindTypeName(std::string_view name) const;

 private:
  bool at_least(int minor) const { return options_.all_libraries || options_.version >= Version{1, minor}; }

  EnvironmentOptions options_;
  std::vector<Variable> variables_;
  std::vector<std::shared_ptr<const Declarations>> kept_;
  std::vector<Function> extra_;
  std::string open_root_;
  TypePool types_;
};

}  // namespace cel
