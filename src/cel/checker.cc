#include "cel/checker.h"

#include <string>
#include <vector>

#include "cel/macros.h"
#include "cel/unify.h"

namespace cel {
namespace {

bool IsCrossTypeComparison(OverloadId id) {
  switch (id) {
#define CEL_CROSS(op)                \
  case OverloadId::op##Int64Double:  \
  case OverloadId::op##Int64Uint64:  \
  case OverloadId::op##Uint64Double: \
  case OverloadId::op##Uint64Int64:  \
  case OverloadId::op##DoubleInt64:  \
  case OverloadId::op##DoubleUint64:
    CEL_CROSS(kLess)
    CEL_CROSS(kLessEquals)
    CEL_CROSS(kGreater)
    CEL_CROSS(kGreaterEquals)
#undef CEL_CROSS
    return true;
    default:
      return false;
  }
}

// "a.b.c" of selects over an identifier.
bool QualifiedName(const Expr& expr, std::string& name) {
  if (expr.kind == ExprKind::kIdent) {
    name = expr.name;
    return true;
  }
  if (expr.kind != ExprKind::kSelect || expr.test_only || !QualifiedName(*expr.target, name)) return false;
  name += '.';
  name += expr.name;
  return true;
}

class Checker {
 public:
  Checker(const Environment& environment, Ast& ast, Issues& issues)
      : environment_(environment), ast_(ast), issues_(issues), bindings_(ast.types) {}

  void Run() {
    Visit(ast_.root);
    Finish(ast_.root);
  }

 private:
  struct Scoped {
    std::string_view name;
    const Type* type;
  };
  struct Found {
    const Type* type = nullptr;
    int variable = -1;
    bool type_name = false;
    bool scoped = false;
    std::string_view name;
  };

  void Issue(const Expr& at, std::string message) { issues_.Add(ast_.source.At(at.offset), std::move(message)); }
  void IssueAt(int32_t offset, std::string message) { issues_.Add(ast_.source.At(offset), std::move(message)); }

  void Mismatch(const Expr& at, const Type& expected, const Type& found) {
    Issue(at, "expected type '" + Format(expected) + "' but found '" + Format(found) + "'");
  }
  void Undeclared(const Expr& at, std::string_view name) {
    Issue(at, "undeclared reference to '" + std::string(name) + "' (in container '" + environment_.options().container +
                  "')");
  }

  // Calls `look` with the names that `name` can mean in the container, the innermost first, until it says true.
  template <class F>
  bool Candidates(std::string_view name, F look) {
    if (name.starts_with('.')) return look(name.substr(1));
    std::string_view container = environment_.options().container;
    while (!container.empty()) {
      if (look(std::string(container) + "." + std::string(name))) return true;
      size_t dot = container.rfind('.');
      container = dot == std::string_view::npos ? std::string_view() : container.substr(0, dot);
    }
    return look(name);
  }

  Found LookUp(std::string_view name) {
    Found found;
    Candidates(name, [&](std::string_view candidate) {
      for (size_t i = scopes_.size(); i > 0; --i) {
        if (scopes_[i - 1].name != candidate) continue;
        found = {.type = scopes_[i - 1].type, .scoped = true, .name = ast_.arena.CopyString(candidate)};
        return true;
      }
      if (int variable = environment_.FindVariable(candidate); variable >= 0) {
        const Variable& known = environment_.variables()[static_cast<size_t>(variable)];
        found = {.type = known.type, .variable = variable, .name = known.name};
        return true;
      }
      if (const Type* type = environment_.FindTypeName(candidate)) {
        found = {.type = ast_.types.TypeOf(type), .type_name = true, .name = type->name};
        return true;
      }
      if (const Declaration* declaration = environment_.FindStruct(candidate)) {
        found = {.type = ast_.types.TypeOf(declaration->type), .type_name = true, .name = declaration->name};
        return true;
      }
      if (environment_.IsOpenType(candidate)) {
        const Declaration* declaration = OpenType(candidate);
        found = {.type = ast_.types.TypeOf(declaration->type), .type_name = true, .name = declaration->name};
        return true;
      }
      return false;
    });
    return found;
  }

  const Declaration* OpenType(std::string_view name) {
    if (const Declaration* known = ast_.open_types.FindType(name)) return known;
    Declaration* made = ast_.open_types.New();
    made->reading = Reading::kObject;
    made->open = true;
    made->name = name;
    made->type = ast_.open_types.types().Struct(name, made);
    return made;
  }

  const Function* LookUpFunction(std::string_view name, std::string_view& full) {
    const Function* function = nullptr;
    Candidates(name, [&](std::string_view candidate) {
      function = environment_.FindFunction(candidate);
      return function != nullptr;
    });
    if (function != nullptr) full = function->name;
    return function;
  }

  void SetIdent(Expr* expr, const Found& found) {
    expr->kind = ExprKind::kIdent;
    expr->type = found.type;
    expr->variable = found.variable;
    expr->type_name = found.type_name;
    expr->name = found.name;
  }

  void Visit(Expr* expr) {
    switch (expr->kind) {
      case ExprKind::kError:
        expr->type = &kErrorType;
        break;
      case ExprKind::kLiteral:
        expr->type = LiteralType(expr->literal);
        break;
      case ExprKind::kIdent: {
        Found found = LookUp(expr->name);
        if (found.type != nullptr) {
          SetIdent(expr, found);
        } else {
          expr->type = &kErrorType;
          Undeclared(*expr, expr->name);
        }
        break;
      }
      case ExprKind::kSelect:
        VisitSelect(expr);
        break;
      case ExprKind::kCall:
        VisitCall(expr);
        break;
      case ExprKind::kList:
        VisitList(expr);
        break;
      case ExprKind::kMap:
        VisitMap(expr);
        break;
      case ExprKind::kStruct:
        VisitStruct(expr);
        break;
      case ExprKind::kComprehension:
        VisitComprehension(expr);
        break;
    }
  }

  static const Type* LiteralType(const Value& value) {
    switch (value.kind()) {
      case ValueKind::kBool:
        return &kBoolType;
      case ValueKind::kInt:
        return &kIntType;
      case ValueKind::kUint:
        return &kUintType;
      case ValueKind::kDouble:
        return &kDoubleType;
      case ValueKind::kString:
        return &kStringType;
      case ValueKind::kBytes:
        return &kBytesType;
      default:
        return &kNullType;
    }
  }

  void VisitSelect(Expr* expr) {
    std::string name;
    if (QualifiedName(*expr, name)) {
      if (Found found = LookUp(name); found.type != nullptr) return SetIdent(expr, found);
    }
    const Type* result = FieldType(*expr, expr->target, expr->name, false);
    if (expr->test_only) result = &kBoolType;
    expr->type = bindings_.Substitute(result, false);
  }

  const Type* FieldType(const Expr& expr, Expr* operand, std::string_view field, bool optional) {
    Visit(operand);
    const Type* target = bindings_.Substitute(operand->type, false);
    bool was_optional = target->is_optional();
    if (was_optional) target = target->parameters[0];
    const Type* result = &kErrorType;
    switch (target->kind) {
      case TypeKind::kMap:
        result = target->parameters[1];
        break;
      case TypeKind::kStruct:
        if (const Type* type = StructField(expr.offset, *target, field)) result = type;
        break;
      case TypeKind::kParam:
        bindings_.Assign(&kDynType, target);
        result = &kDynType;
        break;
      default:
        if (!target->is_dyn() && target->kind != TypeKind::kError)
          Issue(expr, "type '" + Format(*target) + "' does not support field selection");
        result = &kDynType;
    }
    return optional || was_optional ? ast_.types.Optional(result) : result;
  }

  const Type* StructField(int32_t offset, const Type& type, std::string_view field) {
    const Declaration* declaration =
        type.declaration != nullptr ? type.declaration : environment_.FindStruct(type.name);
    if (declaration == nullptr) {
      IssueAt(offset, "unexpected failed resolution of '" + std::string(type.name) + "'");
      return nullptr;
    }
    if (declaration->open) return &kDynType;
    const DeclaredField* found = declaration->Field(field);
    if (found == nullptr && environment_.options().version >= Version{1, 31}) {
      std::string escaped;  // reserved words stand as they are since 1.31
      if (EscapeName(field, escaped) && escaped.size() == field.size() + 4) found = declaration->Field(escaped);
    }
    if (found != nullptr) return found->declaration->type;
    if (!declaration->untyped) IssueAt(offset, "undefined field '" + std::string(field) + "'");
    return nullptr;
  }

  void VisitCall(Expr* expr) {
    if (expr->name == "_?._" && !expr->member) return VisitOptionalSelect(expr);
    for (Expr* arg : expr->args) Visit(arg);
    std::string_view full;
    if (expr->member) {
      std::string name;
      if (QualifiedName(*expr->target, name)) {
        name += '.';
        name += expr->name;
        if (const Function* function = LookUpFunction(name, full)) {
          expr->target = nullptr;
          expr->member = false;
          expr->name = full;
          return Resolve(expr, *function);
        }
      }
      Visit(expr->target);
    }
    const Function* function = LookUpFunction(expr->name, full);
    if (function == nullptr) {
      expr->type = &kErrorType;
      return Undeclared(*expr, expr->name);
    }
    if (!expr->member) expr->name = full;
    Resolve(expr, *function);
  }

  void VisitOptionalSelect(Expr* expr) {
    Expr* field = expr->args[1];
    const Type* result = FieldType(*expr, expr->args[0], field->literal.text(), true);
    field->type = &kStringType;
    expr->type = bindings_.Substitute(result, false);
    expr->function = environment_.FindFunction("_?._");
    SetOverloads(expr, {&OverloadOf(OverloadId::kSelectOptionalField)});
  }

  void SetOverloads(Expr* expr, const std::vector<const Overload*>& overloads) {
    auto* kept = ast_.arena.AllocateArray<const Overload*>(overloads.size());
    std::copy(overloads.begin(), overloads.end(), kept);
    expr->overloads = {kept, overloads.size()};
    expr->dynamic_call = overloads.size() > 1;
  }

  bool Considered(const Overload& overload) const {
    if (!environment_.Has(overload)) {
      // The reference forgets which comparisons are switched off once a comprehension has been entered.
      if (!(entered_scope_ && IsCrossTypeComparison(overload.id))) return false;
    }
    return true;
  }

  void Resolve(Expr* expr, const Function& function) {
    std::vector<const Type*> arguments;
    arguments.reserve(expr->args.size() + 1);
    if (expr->member) arguments.push_back(expr->target->type);
    for (const Expr* arg : expr->args) arguments.push_back(arg->type);
    expr->function = &function;
    if (function.name == "_&&_" || function.name == "_||_") return ResolveLogic(expr, function);
    const Type* result = nullptr;
    std::vector<const Overload*> fitting;
    std::vector<std::pair<std::string_view, const Type*>> names;
    std::vector<const Type*> wanted;
    for (const Overload& overload : function.overloads) {
      if (overload.member != expr->member || !Considered(overload)) continue;
      const Type* overload_result = overload.result;
      std::span<const Type* const> parameters = overload.arguments;
      if (overload.parametric) {
        names.clear();
        wanted.clear();
        overload_result = bindings_.Instantiate(overload.result, names);
        for (const Type* argument : overload.arguments) wanted.push_back(bindings_.Instantiate(argument, names));
        parameters = wanted;
      }
      if (!bindings_.AssignAll(arguments, parameters)) continue;
      fitting.push_back(&overload);
      const Type* substituted = bindings_.Substitute(overload_result, false);
      if (result == nullptr) {
        result = substituted;
      } else if (!result->is_dyn() && !Same(*substituted, *result)) {
        result = &kDynType;
      }
    }
    if (result == nullptr) return NoOverload(expr, function, arguments);
    expr->type = result;
    SetOverloads(expr, fitting);
  }

  void ResolveLogic(Expr* expr, const Function& function) {
    bool wrong = false;
    for (const Expr* arg : expr->args) {
      if (bindings_.Assign(arg->type, &kBoolType)) continue;
      Mismatch(*arg, kBoolType, *arg->type);
      wrong = true;
    }
    expr->type = wrong ? &kErrorType : &kBoolType;
    SetOverloads(expr, {&function.overloads[0]});
  }

  void NoOverload(Expr* expr, const Function& function, const std::vector<const Type*>& arguments) {
    std::string signature;
    size_t first = 0;
    if (expr->member) {
      AppendFormat(signature, *bindings_.Substitute(arguments[0], true));
      signature += '.';
      first = 1;
    }
    signature += '(';
    for (size_t i = first; i < arguments.size(); ++i) {
      if (i > first) signature += ", ";
      AppendFormat(signature, *bindings_.Substitute(arguments[i], true));
    }
    signature += ')';
    Issue(*expr, "found no matching overload for '" + std::string(function.name) + "' applied to '" + signature + "'");
    expr->type = &kErrorType;
  }

  const Type* Join(const Type* before, const Type* now) {
    if (before == nullptr) return now;
    return bindings_.Assign(before, now) ? MostGeneral(before, now) : &kDynType;
  }

  // The type that an item written with '?' gives.
  const Type* Unwrap(const Expr& at, bool optional) {
    const Type* type = at.type;
    if (!optional) return type;
    if (type->is_optional()) return type->parameters[0];
    if (!type->is_dyn()) Mismatch(at, *ast_.types.Optional(type), *type);
    return type;
  }

  static bool IsOptional(const Expr& expr, size_t index) {
    return index < expr.optional.size() && expr.optional[index] != 0;
  }

  void VisitList(Expr* expr) {
    const Type* item = nullptr;
    for (size_t i = 0; i < expr->args.size(); ++i) {
      Visit(expr->args[i]);
      item = Join(item, Unwrap(*expr->args[i], IsOptional(*expr, i)));
    }
    expr->type = ast_.types.List(item != nullptr ? item : bindings_.NewVariable());
  }

  void VisitMap(Expr* expr) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (size_t i = 0; i + 1 < expr->args.size(); i += 2) {
      Visit(expr->args[i]);
      key = Join(key, expr->args[i]->type);
      Visit(expr->args[i + 1]);
      value = Join(value, Unwrap(*expr->args[i + 1], IsOptional(*expr, i / 2)));
    }
    if (key == nullptr) {
      key = bindings_.NewVariable();
      value = bindings_.NewVariable();
    }
    expr->type = ast_.types.Map(key, value);
  }

  void VisitStruct(Expr* expr) {
    Found found = LookUp(expr->name);
    if (found.type == nullptr) {
      Undeclared(*expr, expr->name);
      expr->type = &kErrorType;
      return;
    }
    expr->name = found.name;
    expr->type = &kErrorType;
    if (found.type->kind != TypeKind::kType) {
      Issue(*expr, "'" + Format(*found.type) + "' is not a type");
    } else if (found.type->parameters.empty() || found.type->parameters[0]->kind != TypeKind::kStruct) {
      Issue(*expr, "'" + std::string(found.name) + "' is not a message type");
    } else {
      expr->type = found.type->parameters[0];
    }
    for (size_t i = 0; i < expr->args.size(); ++i) {
      Visit(expr->args[i]);
      const Type* field = expr->type->kind == TypeKind::kStruct
                              ? StructField(expr->entry_offsets[i], *expr->type, expr->fields[i])
                              : nullptr;
      const Type* value = Unwrap(*expr->args[i], IsOptional(*expr, i));
      const bool untyped = field == nullptr && expr->type->kind == TypeKind::kStruct &&
                           expr->type->declaration != nullptr && expr->type->declaration->untyped;
      if (untyped) {
        IssueAt(expr->entry_offsets[i], "expected type of field '" + std::string(expr->fields[i]) +
                                            "' is '' but provided type is '" + Format(*value) + "'");
      }
      if (field == nullptr) field = &kErrorType;
      if (!bindings_.Assign(field, value)) {
        IssueAt(expr->entry_offsets[i], "expected type of field '" + std::string(expr->fields[i]) + "' is '" +
                                            Format(*field) + "' but provided type is '" + Format(*value) + "'");
      }
    }
  }

  void VisitComprehension(Expr* expr) {
    Visit(expr->range());
    Visit(expr->start());
    const Type* range = bindings_.Substitute(expr->range()->type, false);
    const Type* accumulator = expr->start()->type;
    size_t outer = scopes_.size();
    entered_scope_ = true;
    scopes_.push_back({expr->accumulator, accumulator});
    const Type* first = &kDynType;
    const Type* second = &kNoType;
    switch (range->kind) {
      case TypeKind::kList:
        first = second = range->parameters[0];
        if (!expr->name2.empty()) first = &kIntType;
        break;
      case TypeKind::kMap:
        first = range->parameters[0];
        second = range->parameters[1];
        break;
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kParam:
        bindings_.Assign(&kDynType, range);
        break;
      default:
        Issue(*expr->range(), "expression of type '" + Format(*range) +
                                  "' cannot be range of a comprehension (must be list, map, or dynamic)");
        first = &kErrorType;
    }
    scopes_.push_back({expr->name, first});
    if (!expr->name2.empty()) scopes_.push_back({expr->name2, second});
    Visit(expr->condition());
    Want(*expr->condition(), &kBoolType);
    Visit(expr->step());
    Want(*expr->step(), accumulator);
    scopes_.resize(outer + 1);
    Visit(expr->result());
    scopes_.resize(outer);
    expr->type = bindings_.Substitute(expr->result()->type, false);
  }

  void Want(const Expr& expr, const Type* type) {
    if (!bindings_.Assign(type, expr.type)) Mismatch(expr, *type, *expr.type);
  }

  // Puts what became of type parameters into the tree.
  void Finish(Expr* expr) {
    if (expr->type != nullptr) expr->type = bindings_.Substitute(expr->type, true);
    if (expr->target != nullptr) Finish(expr->target);
    for (Expr* arg : expr->args) Finish(arg);
  }

  const Environment& environment_;
  Ast& ast_;
  Issues& issues_;
  Bindings bindings_;
  std::vector<Scoped> scopes_;
  bool entered_scope_ = false;
};

}  // namespace

void CheckTypes(const Environment& environment, Ast& ast, Issues& issues) { Checker(environment, ast, issues).Run(); }

}  // namespace cel
