#include <string>
#include <string_view>

#include "api/regexp.h"
#include "cel/checker.h"
#include "cel/library/format.h"
#include "cel/library/times.h"

namespace cel {
namespace {

class Validator {
 public:
  Validator(const Environment& environment, Ast& ast, Issues& issues)
      : environment_(environment), ast_(ast), issues_(issues) {}

  void Run() {
    if (environment_.options().homogeneous_literals) Homogeneous(*ast_.root);
    if (!environment_.has_validators()) return;
    Each(*ast_.root, [&](const Expr& expr) { Literal(expr, "duration", &Validator::IsDuration); });
    Each(*ast_.root, [&](const Expr& expr) { Literal(expr, "timestamp", &Validator::IsTimestamp); });
    Each(*ast_.root, [&](const Expr& expr) { Literal(expr, "matches", &Validator::IsPattern); });
    Each(*ast_.root, [&](const Expr& expr) { FormatCall(expr); });
  }

 private:
  template <class F>
  void Each(const Expr& expr, const F& visit) {
    visit(expr);
    if (expr.target != nullptr) Each(*expr.target, visit);
    for (const Expr* arg : expr.args) Each(*arg, visit);
  }

  void Issue(const Expr& at, std::string message) { issues_.Add(ast_.source.At(at.offset), std::move(message)); }

  static bool IsDuration(const Value& value) {
    if (value.is(ValueKind::kInt)) return false;  // duration(int) is declared, without code
    int64_t nanoseconds = 0;
    return !value.is(ValueKind::kString) || library::ParseDuration(value.text(), nanoseconds);
  }
  static bool IsTimestamp(const Value& value) {
    library::Instant instant;
    if (value.is(ValueKind::kInt)) {
      instant.seconds = value.AsInt();
    } else if (!value.is(ValueKind::kString)) {
      return true;
    } else if (!library::ParseInstant(value.text(), instant)) {
      return false;
    }
    return library::IsInRange(instant);
  }
  static bool IsPattern(const Value& value) {
    return !value.is(ValueKind::kString) || api::Regexp::Compile(value.text()).has_value();
  }

  void Literal(const Expr& expr, std::string_view function, bool (*good)(const Value&)) {
    if (expr.kind != ExprKind::kCall || expr.name != function || expr.args.empty()) return;
    const Expr& arg = *expr.args[0];
    if (arg.kind == ExprKind::kLiteral && !good(arg.literal))
      Issue(arg, "invalid " + std::string(function) + " argument");
  }

  static bool IsOptional(const Expr& expr, size_t index) {
    return index < expr.optional.size() && expr.optional[index] != 0;
  }
  static const Type* ItemType(const Expr& item, bool optional) {
    return optional && !item.type->parameters.empty() ? item.type->parameters[0] : item.type;
  }
  void Mismatch(const Expr& at, const Type& expected, const Type& found) {
    Issue(at, "expected type '" + Format(expected) + "' but found '" + Format(found) + "'");
  }

  // Lists and maps hold one type each, but for the arguments of format().
  void Homogeneous(const Expr& expr) {
    if (environment_.has_validators() && expr.kind == ExprKind::kCall && expr.name == "format") return;
    if (expr.kind == ExprKind::kList) {
      const Type* first = nullptr;
      for (size_t i = 0; i < expr.args.size(); ++i) {
        const Type* type = ItemType(*expr.args[i], IsOptional(expr, i));
        if (first == nullptr) {
          first = type;
        } else if (!Equivalent(*first, *type)) {
          Mismatch(*expr.args[i], *first, *type);
          break;
        }
      }
    }
    if (expr.kind == ExprKind::kMap) {
      const Type* key = nullptr;
      const Type* item = nullptr;
      for (size_t i = 0; i + 1 < expr.args.size(); i += 2) {
        const Type* key_type = expr.args[i]->type;
        const Type* item_type = ItemType(*expr.args[i + 1], IsOptional(expr, i / 2));
        if (key == nullptr) {
          key = key_type;
          item = item_type;
          continue;
        }
        if (!Equivalent(*key, *key_type)) Mismatch(*expr.args[i], *key, *key_type);
        if (!Equivalent(*item, *item_type)) Mismatch(*expr.args[i + 1], *item, *item_type);
      }
    }
    if (expr.target != nullptr) Homogeneous(*expr.target);
    for (const Expr* arg : expr.args) Homogeneous(*arg);
  }

  // What each clause of a format can show.
  static bool Suits(char verb, const Type& type) {
    if (type.kind == TypeKind::kDyn) return true;
    bool whole = type.kind == TypeKind::kInt || type.kind == TypeKind::kUint;
    bool string = type.kind == TypeKind::kString;
    switch (verb) {
      case 'd':
      case 'o':
        return whole;
      case 'f':
      case 'e':
        return type.kind == TypeKind::kDouble || string;
      case 'b':
        return whole || type.kind == TypeKind::kBool;
      case 'x':
      case 'X':
        return whole || string || type.kind == TypeKind::kBytes;
      default:
        break;
    }
    switch (type.kind) {
      case TypeKind::kList:
      case TypeKind::kMap:
      case TypeKind::kDouble:
      case TypeKind::kBool:
      case TypeKind::kString:
      case TypeKind::kTimestamp:
      case TypeKind::kBytes:
      case TypeKind::kDuration:
      case TypeKind::kType:
      case TypeKind::kNull:
        return true;
      default:
        return whole;
    }
  }

  // The first part of an argument that the clause cannot show; of literal lists and maps each item counts.
  static const Expr* Unsuitable(char verb, const Expr& argument) {
    if (!Suits(verb, *argument.type)) return &argument;
    if (verb != 's' || (argument.kind != ExprKind::kList && argument.kind != ExprKind::kMap)) return nullptr;
    for (const Expr* item : argument.args) {
      if (const Expr* found = Unsuitable(verb, *item)) return found;
    }
    return nullptr;
  }

  void FormatCall(const Expr& expr) {
    if (expr.kind != ExprKind::kCall || expr.name != "format" || !expr.member ||
        expr.target->kind != ExprKind::kLiteral || !expr.target->literal.is(ValueKind::kString))
      return;
    if (expr.args.size() != 1 || expr.args[0]->kind != ExprKind::kList) return;
    const Expr& list = *expr.args[0];
    std::string ignored;
    const Expr* at = &expr;
    auto shown = library::WalkFormat(
        expr.target->literal.text(), list.args.size(), ignored,
        [&](const library::FormatClause& clause, std::string&) -> library::Outcome<void> {
          const Expr* unsuitable = Unsuitable(clause.verb, *list.args[clause.argument]);
          if (unsuitable == nullptr) return {};
          at = unsuitable;
          return std::unexpected(library::WrongFormatArgument(clause.verb, unsuitable->type->name));
        },
        true);
    if (!shown) {
      Issue(*at, shown.error());
    } else if (*shown < list.args.size()) {
      Issue(expr, "too many arguments supplied to string.format (expected " + std::to_string(*shown) + ", got " +
                      std::to_string(list.args.size()) + ")");
    }
  }

  const Environment& environment_;
  Ast& ast_;
  Issues& issues_;
};

}  // namespace

void Validate(const Environment& environment, Ast& ast, Issues& issues) { Validator(environment, ast, issues).Run(); }

}  // namespace cel
