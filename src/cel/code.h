// Code: the inside of a Program: nodes in one array that refer to each other by index, constants, patterns and the sets
// of constant lists. Made by the planner (planner.cc), run by the evaluator (evaluator.cc). Immutable once made.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "api/regexp.h"
#include "cel/declaration.h"
#include "cel/functions.h"
#include "cel/program.h"
#include "cel/value.h"

namespace cel {

enum class Op : uint8_t {
  kConstant,      // a: constant
  kPaidConstant,  // a: what a call of constants gave, and what the call costs
  kVariable,      // a: variable of the environment
  kLocal,         // a: slot
  kLazyLocal,     // a: slot, b: node that computes it at the first use
  kChain,         // a: node of the root, b: first qualifier, count
  kAnd,
  kOr,  // b: first operand, count
  kNot,
  kNegate,
  kNotStrictlyFalse,  // a
  kTernary,           // b: first of three operands
  kEqual,
  kNotEqual,  // a, b
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,  // a, b
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,  // a, b
  kIn,      // a, b
  kInSet,   // a, b: set
  kAppend,  // a: slot of the list, b: node of the new item
  kList,
  kMap,     // b: first operand, count of operands
  kStruct,  // a: constant of the type, b: first operand, count
  kFold,    // a: fold
  kBind,    // a: slot, b: node of the result
  kOptionalOr,
  kOptionalOrValue,  // a, b
  kCall,             // a: call, b: first operand, count
};

struct Node {
  Op op = Op::kConstant;
  uint8_t cost = 0;  // of the node itself, where it is always the same
  uint8_t flags = 0;
  uint8_t rate = 0;  // a Rate
  uint32_t count = 0;
  uint32_t a = 0;
  uint32_t b = 0;
};

enum NodeFlags : uint8_t {
  kTestOnly = 1,   // kChain: whether the last qualifier is there
  kOptionals = 2,  // kList, kMap, kStruct: the operands have marks
};

// What a call costs, from its arguments and its result.
enum class Rate : uint8_t {
  kOne,
  kText,
  kTwiceText,
  kJoin,
  kTraversal,
  kFind,
  kMatches,
  kContains,
  kSmaller,
  kEquality,
  kAddText,
  kInList,
  kSelector,
  kCheck,
  kContainsIp,
  kContainsIpText,
  kContainsCidr,
  kContainsCidrText,
  kValidate,
  kSets,
  kSetsTwice,
};

// One step of a chain: a field, a key or an index.
struct Qualifier {
  Value key;          // a constant one
  int32_t node = -1;  // else the node that computes it
  bool optional = false;
  bool plain = false;  // a constant name, not optional
};

// The functions whose code is in the evaluator.
enum class Builtin : uint8_t { kNone, kSize, kMatches, kContains, kStartsWith, kEndsWith };

struct PaidConstant {
  Value value;
  uint64_t cost = 0;
};

struct CallSite {
  const Function* function = nullptr;
  const Overload* overload = nullptr;  // nullptr: found by the arguments
  int32_t pattern = -1;
  Rate rate = Rate::kOne;
  Builtin builtin = Builtin::kNone;
  bool early = false;  // an error in an argument leaves out the next ones, and the cost
};

struct Fold {
  uint32_t range, start, condition, step, result;
  uint32_t accumulator, first, second;  // slots
  bool two_variables = false;
  bool collects = false;  // into a list or map that it makes
};

struct Code {
  value::Arena arena{256};  // of the constants
  std::vector<Node> nodes;
  std::vector<uint32_t> operands;
  std::vector<uint8_t> optional;  // beside `operands` where a node has marks
  std::vector<Value> constants;
  std::vector<PaidConstant> paid;
  std::vector<std::unique_ptr<Evaluation>> paid_memory;  // what `paid` refers to
  std::vector<Qualifier> qualifiers;
  std::vector<CallSite> calls;
  std::vector<Fold> folds;
  std::vector<EntryMap> sets;
  std::vector<api::Regexp> patterns;
  std::unique_ptr<Declarations> open_types;  // of struct literals, where the environment has such types
  uint32_t root = 0;
  uint32_t slots = 0;
};

}  // namespace cel
