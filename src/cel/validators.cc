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
  Validator(Ast& ast, Issues& issues) : ast_(ast), issues_(issues) {}

  void Run() {
    Each(*ast_.root, [&](const Expr& expr) { Literal(expr, "duration", &Validator::IsDuration); });
    Each(*ast_.root, [&](const Expr& expr) { Literal(expr, "timestamp", &Validator::IsTimestamp); });
    Each(*ast_.root, [&](const Expr& expr) { Literal(expr, "matches", &Validator::IsPattern); });
    Homogeneous(*ast_.root);
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
  static bool IsPattern(const Value& value) { return !value.is(ValueKind::kString) || api::Regexp::Compile(value.text()).has_value(); }

  void Literal(const Expr& expr, std::string_view function, bool (*good)(const Value&)) {
    if (expr.kind != ExprKind::kCall || expr.name != function || expr.args.empty()) return;
    const Expr& arg = *expr.args[0];
    if (arg.kind == ExprKind::kLiteral && !good(arg.literal)) Issue(arg, "invalid " + std::string(function) + " argument");
  }

  static bool IsOptional(const Expr& expr, size_t index) { return index < expr.optional.size() && expr.optional[index] != 0; }
  static const Type* ItemType(const Expr& item, bool optional) {
    return optional && !item.type->parameters.empty() ? item.type->parameters[0] : item.type;
  }
  void Mismatch(const Expr& at, const Type& expected, const Type& found) {
    Issue(at, "expected type '" + Format(expected) + "' but found '" + Format(found) + "'");
  }

  // Lists and maps hold one type each, but for the arguments of format().
  void Homogeneous(const Expr& expr) {
    if (expr.kind == ExprKind::kCall && expr.name == "format") return;
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

  static std::string_view FormatTypeName(const Type& type) { return type.name; }

  static bool Suits(char verb, const Type& type) {
    switch (type.kind) {
      case TypeKind::kDyn: case TypeKind::kAny: case TypeKind::kParam: case TypeKind::kError: return true;
      default: break;
    }
    bool whole = type.kind == TypeKind::kInt || type.kind == TypeKind::kUint;
    bool text = type.kind == TypeKind::kString || type.kind == TypeKind::kBytes;
    switch (verb) {
      case 'd': return whole || type.kind == TypeKind::kDouble;
      case 'f':
      case 'e': return type.kind == TypeKind::kDouble || whole;
      case 'b': return whole || type.kind == TypeKind::kBool;
      case 'x':
      case 'X': return whole || text;
      case 'o': return whole;
      default: return true;
    }
  }

  void FormatCall(const Expr& expr) {
    if (expr.kind != ExprKind::kCall || expr.name != "format" || !expr.member || expr.target->kind != ExprKind::kLiteral || !expr.target->literal.is(ValueKind::kString)) return;
    if (expr.args.size() != 1 || expr.args[0]->kind != ExprKind::kList) return;
    const Expr& list = *expr.args[0];
    std::string ignored;
    const Expr* at = nullptr;
    auto shown = library::WalkFormat(expr.target->literal.text(), list.args.size(), ignored, [&](const library::FormatClause& clause, std::string&) -> library::Outcome<void> {
      const Expr& argument = *list.args[clause.argument];
      if (Suits(clause.verb, *argument.type)) return {};
      at = &argument;
      return std::unexpected(library::WrongFormatArgument(clause.verb, FormatTypeName(*argument.type)));
    });
    if (!shown) {
      Issue(at != nullptr ? *at : *expr.target, at != nullptr ? "error during formatting: " + shown.error() : shown.error());
    } else if (*shown < list.args.size()) {
      Issue(*list.args[*shown], "too many arguments supplied to string.format (expected " + std::to_string(*shown) + ", got " + std::to_string(list.args.size()) + ")");
    }
  }

  Ast& ast_;
  Issues& issues_;
};

}  // namespace

void Validate(const Environment& environment, Ast& ast, Issues& issues) {
  (void)environment;
  Validator(ast, issues).Run();
}

}  // namespace cel
