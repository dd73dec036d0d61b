// What the expressions of x-kubernetes-validations must keep: that they are there, their messages, reasons and field
// paths, that they compile, and what they may cost.
//
// One thread; a walk over a schema from its root, where each schema's ExpressionScope is made from that around it.
// Cost: declarations are made once for each topmost schema with rules; a compilation for each expression.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/schema_declaration.h"
#include "resources/rules/errors.h"

namespace resources::apiextensions {

// The expressions that the definition had before: they may use what new ones may not yet.
struct KnownExpressions {
  std::set<std::string, std::less<>> rules, messages;
  void Add(const Value& schema);  // those of a schema and of all that is below it
};

// What all expressions of one schema come to.
class TotalCost {
 public:
  void Observe(std::string path, uint64_t cost);
  // Where they come to more than a definition may: which ones cost most, and the total for the schema at `path`.
  void Tell(Errors& errors, const FieldPath& path) const;

 private:
  static constexpr size_t kMostTold = 4;
  uint64_t total_ = 0;
  std::vector<std::pair<std::string, uint64_t>> dearest_;  // the dearest first
};

// What expressions of one schema may use. Refers to the scope around it and to the schema's tree.
class ExpressionScope {
 public:
  ExpressionScope(const Value& root, TotalCost& total) : schema_(root), total_(&total), most_(1) {
    has_rules_ = HasRules(root);
  }
  ExpressionScope Property(const Value& schema, std::string_view name) const;
  ExpressionScope Element(const Value& schema) const;  // an item, or a value of additionalProperties

  // Null where expressions cannot use the schema.
  const cel::Declaration* Declaration() const;
  const std::shared_ptr<cel::Declarations>& declarations() const { return declarations_; }
  // What `cost` comes to with all the values that may be there.
  uint64_t Times(uint64_t cost, const cel::Declaration& declaration) const;
  TotalCost& total() const { return *total_; }

 private:
  enum class Step : uint8_t { kRoot, kProperty, kElement };
  ExpressionScope Below(const Value& schema, Step step) const;
  static bool HasRules(const Value& schema);

  Value schema_;
  const ExpressionScope* parent_ = nullptr;
  TotalCost* total_;
  std::optional<uint64_t> most_;  // how many such values there may be; nullopt is not bounded
  bool has_rules_ = false;        // here or around
  Step step_ = Step::kRoot;
  std::string_view name_;  // of a property
  mutable bool looked_ = false;
  mutable const cel::Declaration* declaration_ = nullptr;
  mutable std::shared_ptr<cel::Declarations> declarations_;
};

struct ExpressionOptions {
  const KnownExpressions* known = nullptr;
  bool may_cost_more = false;  // the version's schema is what it was
};

// What is wrong with the texts of rules of the schema at `path`.
void CheckExpressionTexts(Errors& errors, const FieldPath& path, const Value& schema);
// What does not compile, or costs too much. `uncorrelated`: the part of the schema whose old values are not known; ""
// is none.
void CompileExpressions(Errors& errors, const FieldPath& path, const Value& schema, const ExpressionScope& scope,
                        std::string_view uncorrelated, const ExpressionOptions& options);

}  // namespace resources::apiextensions
