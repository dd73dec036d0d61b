#include "cel/macros.h"

#include <algorithm>

namespace cel {

std::string_view ExprMaker::Keep(std::string_view text) {
  const std::string& source = ast_.source.text();
  if (text.data() >= source.data() && text.data() + text.size() <= source.data() + source.size()) return text;
  return ast_.arena.CopyString(text);
}

std::string_view ExprMaker::Join(std::string_view a, std::string_view b) {
  char* to = ast_.arena.AllocateArray<char>(a.size() + b.size());
  std::copy(b.begin(), b.end(), std::copy(a.begin(), a.end(), to));
  return {to, a.size() + b.size()};
}

Expr* ExprMaker::New(ExprKind kind, int32_t offset) {
  Expr* expr = new (ast_.arena.Allocate(sizeof(Expr), alignof(Expr))) Expr;
  expr->kind = kind;
  expr->offset = offset;
  expr->id = ast_.count++;
  return expr;
}

template <class T>
std::span<T> ExprMaker::CopySpan(std::span<const T> items) {
  if (items.empty()) return {};
  T* to = ast_.arena.AllocateArray<T>(items.size());
  std::copy(items.begin(), items.end(), to);
  return {to, items.size()};
}

std::span<Expr*> ExprMaker::CopyArgs(std::span<Expr* const> args) { return CopySpan<Expr*>(args); }

namespace {

uint16_t Deepest(std::span<Expr* const> args) {
  uint16_t depth = 0;
  for (const Expr* arg : args) depth = std::max(depth, arg->depth);
  return depth;
}

}  // namespace

Expr* ExprMaker::Literal(int32_t offset, const Value& value) {
  Expr* expr = New(ExprKind::kLiteral, offset);
  expr->literal = value;
  return expr;
}

Expr* ExprMaker::Ident(int32_t offset, std::string_view name) {
  Expr* expr = New(ExprKind::kIdent, offset);
  expr->name = name;
  return expr;
}

Expr* ExprMaker::Select(int32_t offset, Expr* operand, std::string_view field, bool test_only) {
  Expr* expr = New(ExprKind::kSelect, offset);
  expr->target = operand;
  expr->name = field;
  expr->test_only = test_only;
  expr->depth = operand->depth;
  return expr;
}

Expr* ExprMaker::Call(int32_t offset, std::string_view function, std::initializer_list<Expr*> args) {
  return CallOf(offset, function, nullptr, std::span(args.begin(), args.size()));
}

Expr* ExprMaker::CallOf(int32_t offset, std::string_view function, Expr* target, std::span<Expr* const> args) {
  Expr* expr = New(ExprKind::kCall, offset);
  expr->name = function;
  expr->target = target;
  expr->member = target != nullptr;
  expr->args = CopyArgs(args);
  expr->depth = std::max(Deepest(args), target != nullptr ? target->depth : uint16_t{0});
  return expr;
}

Expr* ExprMaker::List(int32_t offset, std::span<Expr* const> items, std::span<const uint8_t> optional) {
  Expr* expr = New(ExprKind::kList, offset);
  expr->args = CopyArgs(items);
  expr->optional = CopySpan<uint8_t>(optional);
  expr->depth = Deepest(items);
  return expr;
}

Expr* ExprMaker::Map(int32_t offset, std::span<Expr* const> parts, std::span<const uint8_t> optional,
                     std::span<const int32_t> colons) {
  Expr* expr = New(ExprKind::kMap, offset);
  expr->args = CopyArgs(parts);
  expr->optional = CopySpan<uint8_t>(optional);
  expr->entry_offsets = CopySpan<int32_t>(colons);
  expr->depth = Deepest(parts);
  return expr;
}

Expr* ExprMaker::Struct(int32_t offset, std::string_view name, std::span<const std::string_view> fields,
                        std::span<Expr* const> parts, std::span<const uint8_t> optional,
                        std::span<const int32_t> colons) {
  Expr* expr = Map(offset, parts, optional, colons);
  expr->kind = ExprKind::kStruct;
  expr->name = name;
  expr->fields = CopySpan<std::string_view>(fields);
  return expr;
}

Expr* ExprMaker::Copy(const Expr* expr) {
  Expr* copy = New(expr->kind, expr->offset);
  int32_t id = copy->id;
  *copy = *expr;
  copy->id = id;
  if (expr->target != nullptr) copy->target = Copy(expr->target);
  copy->args = CopyArgs(expr->args);
  for (Expr*& arg : copy->args) arg = Copy(arg);
  return copy;
}

Expr* ExprMaker::Comprehension(int32_t offset, const Loop& loop) {
  Expr* expr = New(ExprKind::kComprehension, offset);
  expr->name = loop.variable;
  expr->name2 = loop.variable2;
  expr->accumulator = loop.accumulator;
  Expr* parts[] = {loop.range, loop.start, loop.condition, loop.step, loop.result};
  expr->args = CopyArgs(parts);
  return expr;
}

Expr* ExprMaker::Refuse(Issues& issues, const Expr* at, std::string message) {
  issues.Add(ast_.source.At(at->offset), std::move(message));
  return Error(at->offset);
}

Expr* ExprMaker::Has(Issues& issues, int32_t offset, Expr* arg) {
  if (arg->kind != ExprKind::kSelect) return Refuse(issues, arg, "invalid argument to has() macro");
  return Select(offset, arg->target, arg->name, true);
}

Expr* ExprMaker::Quantify(Quantifier kind, int32_t offset, Expr* range, std::string_view variable,
                          std::string_view variable2, Expr* body) {
  Loop loop{variable, variable2, range, nullptr, nullptr, nullptr, nullptr};
  switch (kind) {
    case Quantifier::kAll:
      loop.start = Literal(offset, Value::Bool(true));
      loop.condition = Call(offset, "@not_strictly_false", {Accumulated(offset)});
      loop.step = Call(offset, "_&&_", {Accumulated(offset), body});
      loop.result = Accumulated(offset);
      break;
    case Quantifier::kExists:
      loop.start = Literal(offset, Value::Bool(false));
      loop.condition = Call(offset, "@not_strictly_false", {Call(offset, "!_", {Accumulated(offset)})});
      loop.step = Call(offset, "_||_", {Accumulated(offset), body});
      loop.result = Accumulated(offset);
      break;
    case Quantifier::kExistsOne: {
      loop.start = Literal(offset, Value::Int(0));
      loop.condition = Literal(offset, Value::Bool(true));
      Expr* more = Call(offset, "_+_", {Accumulated(offset), Literal(offset, Value::Int(1))});
      loop.step = Call(offset, "_?_:_", {body, more, Accumulated(offset)});
      loop.result = Call(offset, "_==_", {Accumulated(offset), Literal(offset, Value::Int(1))});
      break;
    }
  }
  return Comprehension(offset, loop);
}

Expr* ExprMaker::Transform(int32_t offset, Expr* range, std::string_view variable, std::string_view variable2,
                           Expr* filter, Expr* item) {
  Expr* one[] = {item};
  Expr* step = Call(offset, "_+_", {Accumulated(offset), List(offset, one)});
  if (filter != nullptr) step = Call(offset, "_?_:_", {filter, step, Accumulated(offset)});
  return Comprehension(offset, {variable, variable2, range, List(offset, {}), Literal(offset, Value::Bool(true)), step,
                                Accumulated(offset)});
}

Expr* ExprMaker::TransformMap(int32_t offset, Expr* range, std::string_view variable, std::string_view variable2,
                              Expr* filter, Expr* item, bool entry) {
  Expr* step = entry ? Call(offset, "cel.@mapInsert", {Accumulated(offset), item})
                     : Call(offset, "cel.@mapInsert", {Accumulated(offset), Ident(offset, variable), item});
  if (filter != nullptr) step = Call(offset, "_?_:_", {filter, step, Accumulated(offset)});
  return Comprehension(offset, {variable, variable2, range, Map(offset, {}, {}, {}), Literal(offset, Value::Bool(true)),
                                step, Accumulated(offset)});
}

Expr* ExprMaker::OptionalMap(int32_t offset, Expr* target, std::string_view variable, Expr* body, bool flat) {
  Expr* bound = Comprehension(offset, {kUnusedVariable,
                                       {},
                                       List(offset, {}),
                                       CallOf(offset, "value", Copy(target), {}),
                                       Literal(offset, Value::Bool(false)),
                                       Ident(offset, variable),
                                       body,
                                       variable});
  if (!flat) bound = Call(offset, "optional.of", {bound});
  return Call(offset, "_?_:_", {CallOf(offset, "hasValue", target, {}), bound, Call(offset, "optional.none", {})});
}

Expr* ExprMaker::OneVariable(Issues& issues, int32_t offset, std::string_view name, Expr* target,
                             std::span<Expr* const> args) {
  bool quantifier = name == "all" || name == "exists" || name == "exists_one";
  bool transform = name == "map" || name == "filter";
  if (!quantifier && !transform) return nullptr;
  if (args.size() != 2 && !(name == "map" && args.size() == 3)) return nullptr;
  if (args[0]->kind != ExprKind::kIdent) {
    return Refuse(issues, args[0], quantifier ? "argument must be a simple name" : "argument is not an identifier");
  }
  std::string_view variable = args[0]->name;
  if (name == "all") return Quantify(Quantifier::kAll, offset, target, variable, {}, args[1]);
  if (name == "exists") return Quantify(Quantifier::kExists, offset, target, variable, {}, args[1]);
  if (name == "exists_one") return Quantify(Quantifier::kExistsOne, offset, target, variable, {}, args[1]);
  if (name == "filter") return Transform(offset, target, variable, {}, args[1], args[0]);
  return args.size() == 3 ? Transform(offset, target, variable, {}, args[1], args[2])
                          : Transform(offset, target, variable, {}, nullptr, args[1]);
}

Expr* ExprMaker::TwoVariables(Issues& issues, int32_t offset, std::string_view name, Expr* target,
                              std::span<Expr* const> args) {
  bool quantifier = name == "all" || name == "exists" || name == "exists_one" || name == "existsOne";
  bool transform = name == "transformList" || name == "transformMap" || name == "transformMapEntry";
  if (!(quantifier && args.size() == 3) && !(transform && (args.size() == 3 || args.size() == 4))) return nullptr;
  for (const Expr* arg : args.first(2)) {
    if (arg->kind != ExprKind::kIdent) return Refuse(issues, arg, "argument must be a simple name");
  }
  std::string_view first = args[0]->name;
  std::string_view second = args[1]->name;
  if (first == second) return Refuse(issues, args[1], "duplicate variable name: " + std::string(first));
  for (const Expr* arg : args.first(2)) {
    if (arg->name == kAccumulator) return Refuse(issues, arg, "iteration variable overwrites accumulator variable");
  }
  Expr* body = args[args.size() - 1];
  if (name == "all") return Quantify(Quantifier::kAll, offset, target, first, second, body);
  if (name == "exists") return Quantify(Quantifier::kExists, offset, target, first, second, body);
  if (quantifier) return Quantify(Quantifier::kExistsOne, offset, target, first, second, body);
  Expr* filter = args.size() == 4 ? args[2] : nullptr;
  if (name == "transformList") return Transform(offset, target, first, second, filter, body);
  return TransformMap(offset, target, first, second, filter, body, name == "transformMapEntry");
}

Expr* ExprMaker::CallOrMacro(const Environment& environment, Issues& issues, int32_t offset, std::string_view name,
                             Expr* target, std::span<Expr* const> args) {
  if (target == nullptr) {
    if (name == "has" && args.size() == 1) return Has(issues, offset, args[0]);
    return CallOf(offset, name, nullptr, args);
  }
  if (Expr* made = OneVariable(issues, offset, name, target, args)) return made;
  if (environment.has_two_variable_comprehensions()) {
    if (Expr* made = TwoVariables(issues, offset, name, target, args)) return made;
  }
  if (environment.has_optionals() && args.size() == 2 && (name == "optMap" || name == "optFlatMap")) {
    if (args[0]->kind != ExprKind::kIdent)
      return Refuse(issues, args[0], std::string(name) + "() variable name must be a simple identifier");
    return OptionalMap(offset, target, args[0]->name, args[1], name == "optFlatMap");
  }
  return CallOf(offset, name, target, args);
}

}  // namespace cel
