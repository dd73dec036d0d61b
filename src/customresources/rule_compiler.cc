#include "customresources/rule_compiler.h"

#include <algorithm>
#include <expected>
#include <utility>

#include "base/text.h"
#include "cel/ast.h"

namespace customresources {
namespace {

using base::Cat;

bool Names(const cel::Expr& expr, std::string_view variable) {
  if (expr.kind == cel::ExprKind::kIdent) {
    const std::string_view name = expr.name.starts_with('.') ? expr.name.substr(1) : expr.name;
    if (name == variable) return true;
  }
  if (expr.target != nullptr && Names(*expr.target, variable)) return true;
  return std::ranges::any_of(expr.args,
                             [&](const cel::Expr* part) { return part != nullptr && Names(*part, variable); });
}

struct Made {
  std::shared_ptr<const cel::Program> program;
  uint64_t cost = 0;
  bool uses_old_self = false;
};

// `what` begins the texts of errors, `wanted` is the one for another type than `kind`.
std::expected<Made, std::string> Make(const std::shared_ptr<const cel::Environment>& environment, std::string_view text,
                                      std::string_view what, cel::TypeKind kind, std::string_view wanted) {
  const auto checked = cel::Check(environment, text);
  if (!checked) return std::unexpected(Cat(what, "compilation failed: ", checked.error()));
  if (checked->type().kind != kind || checked->type().nullable) return std::unexpected(std::string(wanted));
  auto program = cel::MakeProgram(*checked);
  if (!program) {
    return std::unexpected(Cat(what, what.empty() ? "program " : "", "instantiation failed: ", program.error()));
  }
  return Made{*std::move(program), checked->EstimateCost().max, Names(*checked->ast().root, kOldSelf)};
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::shared_ptr<const cel::Environment> RuleCompiler::EnvironmentOf(cel::Version version, bool optional_old_self) {
  const size_t at = (version == cel::kStoredExpressions ? 2U : 0U) + (optional_old_self ? 1U : 0U);
  std::shared_ptr<const cel::Environment>& environment = environments_[at];
  if (environment != nullptr) return environment;
  cel::Environment::Builder builder({.version = version});
  builder.Declare(kSelf, &self_);
  if (optional_old_self) {
    builder.Declare(kOldSelf, builder.types().Optional(self_.type));
  } else {
    builder.Declare(kOldSelf, &self_);
  }
  return environment = builder.Keep(declarations_).Build();
}

CompiledRule RuleCompiler::Compile(const schema::ValidationRule& rule, const Versions& versions) {
  CompiledRule compiled;
  if (Trimmed(rule.rule).empty()) return compiled;
  const bool optional_old_self = rule.optional_old_self.value_or(false);
  auto made = Make(EnvironmentOf(versions.rule, optional_old_self), rule.rule, "", cel::TypeKind::kBool,
                   "cel expression must evaluate to a bool");
  if (!made) {
    compiled.error = std::move(made.error());
    return compiled;
  }
  compiled.program = std::move(made->program);
  compiled.cost = made->cost;
  compiled.uses_old_self = made->uses_old_self;
  if (rule.message_expression.empty()) return compiled;
  auto message = Make(EnvironmentOf(versions.message, optional_old_self), rule.message_expression, "messageExpression ",
                      cel::TypeKind::kString, "messageExpression must evaluate to a string");
  if (!message) {
    compiled.message_error = std::move(message.error());
    return compiled;
  }
  compiled.message = std::move(message->program);
  compiled.message_cost = message->cost;
  return compiled;
}

}  // namespace customresources
