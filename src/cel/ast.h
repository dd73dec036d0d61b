// The syntax tree of an expression, after macros have been expanded. Made by the parser, annotated by the checker,
// read by the cost estimate and the planner. Lives in the arena of its Ast.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cel/declaration.h"
#include "cel/functions.h"
#include "cel/source.h"
#include "cel/type.h"
#include "cel/value.h"

namespace cel {

enum class ExprKind : uint8_t { kError, kLiteral, kIdent, kSelect, kCall, kList, kMap, kStruct, kComprehension };

struct Expr {
  ExprKind kind = ExprKind::kError;
  bool test_only = false;     // kSelect of has()
  bool member = false;        // kCall with a target
  bool type_name = false;     // a kIdent that names a type
  bool dynamic_call = false;  // several overloads are possible
  int32_t id = 0;
  int32_t offset = -1;     // code points from the start; -1 is nowhere
  int32_t variable = -1;   // kIdent: index of the environment's variable; -1: a comprehension's, or a type
  uint16_t depth = 0;      // as the parser counts
  std::string_view name;   // identifier, field, function, type of a struct; a comprehension's variable
  std::string_view name2;  // a comprehension's second variable
  std::string_view accumulator;
  Value literal;
  Expr* target = nullptr;  // of a select, of a member call
  // Arguments; items; keys and values in turn; values of fields; or range, start, condition, step, result.
  std::span<Expr*> args;
  std::span<const uint8_t> optional;         // for each item or entry: written with '?'
  std::span<const std::string_view> fields;  // of a struct literal
  std::span<const int32_t> entry_offsets;    // of ':' of each entry or field

  // By the checker.
  const Type* type = nullptr;
  const Function* function = nullptr;
  std::span<const Overload* const> overloads;  // that fit

  Expr* range() const { return args[0]; }
  Expr* start() const { return args[1]; }
  Expr* condition() const { return args[2]; }
  Expr* step() const { return args[3]; }
  Expr* result() const { return args[4]; }
};

struct Ast {
  explicit Ast(std::string_view text) : source(text) {}
  Source source;
  value::Arena arena;
  TypePool types;
  Declarations open_types;  // that the expression names
  Expr* root = nullptr;
  int32_t count = 0;  // of expressions
};

}  // namespace cel
