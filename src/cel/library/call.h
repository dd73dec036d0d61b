// Call: runs one overload of a function. The evaluator calls it for every overload that is no operator and whose code
// it does not have itself.
#pragma once

#include <span>

#include "api/regexp.h"
#include "cel/functions.h"
#include "cel/value.h"
#include "value/arena.h"

namespace cel::library {

struct CallContext {
  value::Arena& arena;  // results live there
  Steps& steps;
  // Of matches, find and findAll: the pattern that was compiled with the program, nullptr where it is no constant.
  const api::Regexp* pattern = nullptr;
};

// `arguments` fit the overload; none is an error. Errors are values, in the words of cel-go 0.22. Operators, or,
// orValue and the insertions into maps are not known here.
Value Call(OverloadId id, std::span<const Value> arguments, CallContext& context);

// Of two kOpaque: == as their types have it. False where the types differ.
bool EqualOpaque(const Value& a, const Value& b);
// What size() and costs take the size of a kOpaque to be: bytes of an address, of a prefix; 1 of everything else.
int64_t SizeOfOpaque(const Value& value);

}  // namespace cel::library
