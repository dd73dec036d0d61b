// Evaluator: runs code. One for one evaluation; lives on the stack of Program::Evaluate, and in the planner for the
// calls that it folds.
#pragma once

#include <span>

#include "cel/code.h"
#include "cel/program.h"

namespace cel {

class Evaluator {
 public:
  Evaluator(const Code& code, const Environment& environment, const Activation& activation, Evaluation& evaluation);

  ~Evaluator() {}

  Value Run();
  // One call outside of the code, its cost aside.
  Value CallOnce(const CallSite& site, std::span<const Value> arguments) { return Dispatch(site, arguments); }
  uint64_t CostOnce(const CallSite& site, std::span<const Value> arguments, const Value& result) {
    return CostOf(site.rate, arguments, result);
  }

 private:
  struct Builder {
    Value* items = nullptr;
    uint32_t size = 0, capacity = 0;
  };

  struct Slot {
    Value value;
    bool computed = false;  // of a lazy one
    Builder builder;        // of a list that a loop collects
  };
  static constexpr uint32_t kFewSlots = 6;

  Value Eval(uint32_t at);
  Value Chain(const Node& node);
  // An optional that is read as an attribute: its content goes through Go's own types there, which do not have them
  // all.
  Value Reread(const Value& value) {
    if (!value.is(ValueKind::kOptional) || value.optional() == nullptr) [[likely]]
      return value;
    return Value::OptionalOf(evaluation_.arena, ThroughGo(*value.optional()));
  }
  Value ThroughGo(const Value& content);
  uint32_t WalkDocument(const Node& node, Value& value);
  // One step into `value`. False: it is not there, which only counts where `optional`.
  bool Qualify(Value& value, const Value& key, bool optional);
  Value LogicalAnd(const Node& node);
  Value LogicalOr(const Node& node);
  Value Ternary(const Node& node);
  Value Equality(const Node& node);
  Value Comparison(const Node& node);
  Value Arithmetic(const Node& node);
  Value Sum(const Value& a, const Value& b);
  Value SumOfLists(const Value& a, const Value& b);
  Value Negated(const Value& value);
  Value In(const Node& node);
  Value InSet(const Node& node);
  Value Append(const Node& node);
  Value List(const Node& node);
  Value Map(const Node& node);
  Value Struct(const Node& node);
  Value Loop(const Fold& fold);
  Value LoopTurn(const Fold& fold, bool& goes_on);
  Value Call(const Node& node);
  Value Dispatch(const CallSite& site, std::span<const Value> arguments);
  Value RunOverload(const CallSite& site, const Overload& overload, std::span<const Value> arguments);
  Value Unguarded(const CallSite& site, std::span<const Value> arguments);
  Value NoOverload(const Function& function, std::span<const Value> arguments);
  Value InsertIntoMap(const Value& map, const Value& key, const Value& item);
  Value OptionalItem(const Value& item, std::string_view what, const Value* key, bool& leave_out);

  uint64_t CostOf(Rate rate, std::span<const Value> arguments, const Value& result);
  void Charge(uint64_t cost) {
    evaluation_.cost += cost;
    if (evaluation_.cost > evaluation_.cost_limit) [[unlikely]]
      stopped_ = true;
  }
  Value Fail(std::string_view message) { return Value::Error(evaluation_.arena, message); }
  bool Interrupted();

  const Code& code_;
  const Environment& environment_;
  const Activation& activation_;
  Evaluation& evaluation_;
  Steps steps_;
  Slot* slots_ = nullptr;
  bool stopped_ = false;
  bool interrupted_ = false;
  uint32_t turns_ = 0;
  union {
    Slot few_slots_[kFewSlots];  // constructed as far as the code has slots
  };
};

// Whether `value` can be an argument of `type` as far as a call looks at it.
bool SuitsArgument(const Type& type, const Value& value);

}  // namespace cel
