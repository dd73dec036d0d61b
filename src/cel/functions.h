// The functions that expressions may call, as one table: names, overloads with their types, the version that brought
// each, and which code runs it and which rule says what it costs. From the environments of kube-apiserver 1.32.
//
// Constant after the first use; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cel/type.h"

namespace cel {

// Which environments know an overload.
enum class Since : uint8_t { k1_0, k1_27, k1_28, k1_29, k1_30, k1_31, kSelectors, k1_32, kPatches };

// The overload's code: one value each; the evaluator switches on it.
enum class OverloadId : uint16_t {
  kNone,
#define CEL_OVERLOAD(enumerator, ...) enumerator,
#include "cel/overloads.inc"
#undef CEL_OVERLOAD
  kCount,
};

// How a call finds its code at run time.
enum class Binding : uint8_t {
  kOperator,   // built into the evaluator
  kGuarded,    // the arguments' kinds are looked at first: "no such overload: f(int)"
  kUnguarded,  // one code for all overloads: "no such overload"
};

struct Overload {
  OverloadId id = OverloadId::kNone;
  std::string_view name;  // "starts_with_string"
  bool member = false;
  Since since = Since::k1_0;
  Binding binding = Binding::kGuarded;
  bool strings_v2 = false;
  std::span<const Type* const> arguments;  // the receiver first
  const Type* result = nullptr;
  bool parametric = false;  // has type parameters
};

struct Function {
  std::string_view name;
  std::vector<Overload> overloads;  // in the order in which they are tried
};

// The function of that name in any environment, or nullptr.
const Function* FindFunction(std::string_view name);
const Overload& OverloadOf(OverloadId id);
std::span<const Function> AllFunctions();

}  // namespace cel
