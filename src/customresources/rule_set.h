// RuleSet: the rules of a schema and of all that is below it, to hold objects to them. Called by validation, last.
//
// Any thread. Nothing is compiled before the first object comes; then all of it at once, and other threads wait. The
// schema outlives it. Bounds: each evaluation and each object have the real server's budgets of cost; warnings are
// told up to kMostWarningBytes.
#pragma once

#include <memory>
#include <mutex>

#include "customresources/instance_rules.h"

namespace customresources {

class RuleSet final : public RuleEvaluator {
 public:
  static constexpr size_t kMostWarningBytes = 1 << 20;

  // `is_resource`: its values have kind, apiVersion and metadata.
  explicit RuleSet(const schema::Structural& schema, bool is_resource = true);
  ~RuleSet() override;

  void Evaluate(const Value& object, const Value* old, const Ratcheting& ratcheting, ErrorList& errors,
                std::vector<std::string>& warnings) const override;

  struct Node;

 private:
  const schema::Structural& schema_;
  const bool is_resource_;
  mutable std::once_flag compiled_;
  mutable std::unique_ptr<const Node> root_;
};

}  // namespace customresources
