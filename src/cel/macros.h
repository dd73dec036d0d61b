// ExprMaker: makes nodes of a syntax tree, and expands the calls that are macros.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/source.h"

namespace cel {

// The variable that comprehensions of macros collect their result in.
inline constexpr std::string_view kAccumulator = "__result__";
// The variable of a loop that is none: optMap binds a name.
inline constexpr std::string_view kUnusedVariable = "#unused";

class ExprMaker {
 public:
  explicit ExprMaker(Ast& ast) : ast_(ast) {}

  // `text` for as long as the tree lives.
  std::string_view Keep(std::string_view text);
  std::string_view Join(std::string_view a, std::string_view b);

  Expr* Error(int32_t offset) { return New(ExprKind::kError, offset); }
  Expr* Literal(int32_t offset, const Value& value);
  Expr* Ident(int32_t offset, std::string_view name);
  Expr* Select(int32_t offset, Expr* operand, std::string_view field, bool test_only = false);
  Expr* Call(int32_t offset, std::string_view function, std::initializer_list<Expr*> args);
  Expr* CallOf(int32_t offset, std::string_view function, Expr* target, std::span<Expr* const> args);
  Expr* List(int32_t offset, std::span<Expr* const> items, std::span<const uint8_t> optional = {});
  Expr* Map(int32_t offset, std::span<Expr* const> parts, std::span<const uint8_t> optional,
            std::span<const int32_t> colons);
  Expr* Struct(int32_t offset, std::string_view name, std::span<const std::string_view> fields,
               std::span<Expr* const> parts, std::span<const uint8_t> optional, std::span<const int32_t> colons);

  // A call of `name`, or what the macro of that name makes of it. `target` is nullptr for a global call.
  Expr* CallOrMacro(const Environment& environment, Issues& issues, int32_t offset, std::string_view name, Expr* target,
                    std::span<Expr* const> args);

 private:
  struct Loop {
    std::string_view variable, variable2;
    Expr *range, *start, *condition, *step, *result;
    std::string_view accumulator = kAccumulator;
  };
  enum class Quantifier : uint8_t { kAll, kExists, kExistsOne };

  Expr* New(ExprKind kind, int32_t offset);
  template <class T>
  std::span<T> CopySpan(std::span<const T> items);
  std::span<Expr*> CopyArgs(std::span<Expr* const> args);
  Expr* Copy(const Expr* expr);
  Expr* Comprehension(int32_t offset, const Loop& loop);
  Expr* Accumulated(int32_t offset) { return Ident(offset, kAccumulator); }
  Expr* Refuse(Issues& issues, const Expr* at, std::string message);
  Expr* Has(Issues& issues, int32_t offset, Expr* arg);
  Expr* Quantify(Quantifier kind, int32_t offset, Expr* range, std::string_view variable, std::string_view variable2,
                 Expr* body);
  Expr* Transform(int32_t offset, Expr* range, std::string_view variable, std::string_view variable2, Expr* filter,
                  Expr* item);
  Expr* TransformMap(int32_t offset, Expr* range, std::string_view variable, std::string_view variable2, Expr* filter,
                     Expr* item, bool entry);
  Expr* OptionalMap(int32_t offset, Expr* target, std::string_view variable, Expr* body, bool flat);
  Expr* OneVariable(Issues& issues, int32_t offset, std::string_view name, Expr* target, std::span<Expr* const> args);
  Expr* TwoVariables(Issues& issues, int32_t offset, std::string_view name, Expr* target, std::span<Expr* const> args);

  Ast& ast_;
};

}  // namespace cel
