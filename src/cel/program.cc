#include "cel/program.h"

#include "cel/ast.h"
#include "cel/checker.h"
#include "cel/code.h"
#include "cel/evaluator.h"
#include "cel/parser.h"
#include "cel/planner.h"

namespace cel {

CheckedExpression::CheckedExpression(std::shared_ptr<const Environment> environment, std::unique_ptr<Ast> ast)
    : environment_(std::move(environment)), ast_(std::move(ast)) {}
CheckedExpression::CheckedExpression(CheckedExpression&&) noexcept = default;
CheckedExpression& CheckedExpression::operator=(CheckedExpression&&) noexcept = default;
CheckedExpression::~CheckedExpression() = default;

const Type& CheckedExpression::type() const { return *ast_->root->type; }

CostRange CheckedExpression::EstimateCost() const {
  DeclaredSizes sizes(*environment_);
  return EstimateCost(sizes);
}

CostRange CheckedExpression::EstimateCost(SizeHints& hints) const {
  return cel::EstimateCost(*ast_, *environment_, hints);
}

std::expected<CheckedExpression, std::string> Check(const std::shared_ptr<const Environment>& environment,
                                                    std::string_view text) {
  Issues issues;
  std::unique_ptr<Ast> ast = Parse(*environment, text, issues);
  if (issues.empty()) CheckTypes(*environment, *ast, issues);
  if (issues.empty()) Validate(*environment, *ast, issues);
  if (!issues.empty()) return std::unexpected(issues.Text(ast->source));
  return CheckedExpression(environment, std::move(ast));
}

Activation::Activation(const Environment& environment)
    : environment_(environment), values_(environment.variables().size()), bound_(environment.variables().size()) {}

bool Activation::Bind(std::string_view name, const Value& value) {
  int variable = environment_.FindVariable(name);
  if (variable < 0) return false;
  BindAt(variable, value);
  return true;
}

bool Activation::Bind(std::string_view name, const value::Value& document) {
  int variable = environment_.FindVariable(name);
  if (variable < 0) return false;
  BindAt(variable, Value::Document(document, environment_.variables()[static_cast<size_t>(variable)].declaration));
  return true;
}

Program::Program() = default;
Program::~Program() = default;

Value Program::Evaluate(const Activation& activation, Evaluation& evaluation) const {
  return Evaluator(*code_, *environment_, activation, evaluation).Run();
}

size_t Program::memory() const {
  return sizeof(Program) + sizeof(Code) + code_->arena.allocated() + code_->nodes.capacity() * sizeof(Node) +
         code_->operands.capacity() * sizeof(uint32_t) + code_->optional.capacity() +
         code_->constants.capacity() * sizeof(Value) + code_->qualifiers.capacity() * sizeof(Qualifier) +
         code_->calls.capacity() * sizeof(CallSite) + code_->folds.capacity() * sizeof(Fold) +
         code_->sets.capacity() * sizeof(EntryMap) + code_->patterns.capacity() * sizeof(api::Regexp);
}

std::expected<std::shared_ptr<const Program>, std::string> MakeProgram(const CheckedExpression& checked) {
  auto code = Plan(*checked.environment(), checked.ast());
  if (!code) return std::unexpected(std::move(code.error()));
  std::shared_ptr<Program> program(new Program);
  program->environment_ = checked.environment();
  program->code_ = std::move(*code);
  program->types_ = std::make_unique<TypePool>();
  program->output_ = program->types_->Copy(&checked.type());
  return program;
}

}  // namespace cel
