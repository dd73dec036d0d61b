#include "admission/policies/policy_evaluator.h"

#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "api/quote.h"
#include "base/text.h"
#include "cel/library/authorizer_checks.h"
#include "cel/to_document.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

constexpr uint64_t kConditionBudget = 2'500'000;
constexpr uint64_t kBudget = 10'000'000;
constexpr size_t kLongestMessage = 5 * 1024;
constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

// What an expression gave: an error, or a value that is copied out of its evaluation.
struct Outcome {
  std::string error;  // "" none
  bool is_true = false, is_false = false;
  std::optional<std::string> text;
};

// A round of evaluations with a budget of its own: variables are computed anew.
class Round {
 public:
  Round(const CompiledPolicy& policy, const PolicyInput& input, const Value& parameters, bool has_authorizer,
        uint64_t budget)
      : activation_(*policy.environment), variables_(policy.variables, activation_, arena_), left_(budget) {
    Bind("object", input.object);
    Bind("oldObject", input.old_object);
    Bind("namespaceObject", input.namespace_object);
    Bind("request", input.request);
    Bind("params", parameters);
    activation_.Bind("variables", cel::Value::Lazy(&variables_));
    if (!has_authorizer) return;
    activation_.Bind("authorizer", cel::library::AuthorizerValue(arena_, input.authorizer));
    activation_.Bind("authorizer.requestResource",
                     cel::library::ResourceCheckValue(arena_, input.authorizer, input.request_resource));
  }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  // None: the budget is spent. `keep` sees a result that is no error, as long as its evaluation lives.
  std::optional<Outcome> Evaluate(
      const PolicyExpression& expression, absl::FunctionRef<void(const cel::Value&)> keep = [](const cel::Value&) {}) {
    if (!expression.error.empty()) return Outcome{.error = Cat("compilation error: ", expression.error), .text = {}};
    cel::Evaluation evaluation;
    const uint64_t variables_before = variables_.cost();
    const cel::Value result = expression.compiled->program->Evaluate(activation_, evaluation);
    if (!Spend(variables_.cost() - variables_before) || !Spend(evaluation.cost)) return std::nullopt;
    if (result.is_error()) {
      return Outcome{.error = Cat("expression '", expression.text, "' resulted in error: ", result.text()), .text = {}};
    }
    Outcome outcome{.error = {}, .is_true = result.is_true(), .is_false = result.is_false(), .text = {}};
    if (result.is(cel::ValueKind::kString)) outcome.text = std::string(result.text());
    keep(result);
    return outcome;
  }
  uint64_t left() const { return left_; }

 private:
  void Bind(std::string_view name, const Value& document) {
    if (document.is_null()) {
      activation_.Bind(name, cel::Value());
    } else {
      activation_.Bind(name, document);
    }
  }
  bool Spend(uint64_t cost) {
    const bool enough = cost <= left_;
    left_ = enough ? left_ - cost : 0;
    return enough;
  }

  value::Arena arena_;
  cel::Activation activation_;
  cel::VariableValues variables_;
  uint64_t left_;
};

constexpr int kDeepestObject = 300;

// Objects are named as the way to them, lists and maps have no names: Object.spec.containers is an item of spec's
// containers.
void CheckTypeNames(const cel::Value& value, const std::string& path, int depth, std::vector<std::string>& wrong) {
  if (depth > kDeepestObject) return;
  const bool is_object = value.is(cel::ValueKind::kStruct);
  if (is_object && value.declaration() != nullptr && value.declaration()->name != path) {
    wrong.push_back(Cat("unexpected type name ", api::Quote(value.declaration()->name), ", expected ", api::Quote(path),
                        ", which matches field name path from root Object type"));
  }
  if (value.is(cel::ValueKind::kList)) {
    for (uint32_t i = 0; i < value.size(); ++i) CheckTypeNames(value.At(i), path, depth + 1, wrong);
  }
  if (!is_object && !value.is(cel::ValueKind::kMap)) return;
  if (value.form() == cel::Value::Form::kDocument) return;
  cel::MapWalk walk(value);
  cel::Value key, item;
  while (walk.Next(key, item)) {
    CheckTypeNames(item, is_object ? Cat(path, ".", key.text()) : path, depth + 1, wrong);
  }
}

// The objects among the values of a JSON patch, each of which is the root of what is in it.
void CheckPatchTypes(const cel::Value& operations, std::vector<std::string>& wrong) {
  for (uint32_t i = 0; i < operations.size() && wrong.empty(); ++i) {
    const cel::Value operation = operations.At(i);
    cel::MapWalk walk(operation);
    cel::Value key, item;
    while (walk.Next(key, item)) {
      if (key.text() != "value" || !item.is(cel::ValueKind::kStruct) || item.declaration() == nullptr) continue;
      CheckTypeNames(item, item.declaration()->name, 0, wrong);
    }
  }
}

// The message of `by_expression` (what messageExpression gave), else the policy's own, else the expression.
std::string MessageOf(const PolicyValidation& validation, const std::optional<Outcome>& by_expression) {
  if (by_expression && by_expression->text) {
    const std::string_view message = Trimmed(*by_expression->text);
    const bool usable = !message.empty() && message.size() <= kLongestMessage && !message.contains('\n');
    if (usable) return std::string(message);
  }
  const std::string_view message = Trimmed(validation.message);
  if (!message.empty()) return std::string(message);
  return Cat("failed expression: ", Trimmed(validation.expression.text));
}

// No expression costs more than its own limit, so few of them cannot spend what is left: then their messages need not
// be made to know that.
bool MayOverspend(const CompiledPolicy& policy, uint64_t left) {
  uint64_t evaluations = policy.variables.size();
  for (const PolicyValidation& validation : policy.validations) evaluations += validation.message_expression ? 1 : 0;
  return evaluations * (cel::kPerCallLimit + cel::kPerCallLimit / 10) > left;
}

// What the validations have against the request, errors included. None: the budget is spent.
std::optional<std::vector<PolicyComplaint>> CheckValidations(const CompiledPolicy& policy, const PolicyInput& input,
                                                             const Value& parameters) {
  std::vector<Outcome> outcomes;
  Round round(policy, input, parameters, true, kBudget);
  bool all_true = true;
  for (const PolicyValidation& validation : policy.validations) {
    std::optional<Outcome> outcome = round.Evaluate(validation.expression);
    if (!outcome) return std::nullopt;
    all_true = all_true && outcome->is_true;
    outcomes.push_back(*std::move(outcome));
  }
  if (all_true && !MayOverspend(policy, round.left())) return std::vector<PolicyComplaint>();

  std::vector<std::optional<Outcome>> messages(outcomes.size());
  Round message_round(policy, input, parameters, false, round.left());
  bool overspent = false;
  for (size_t i = 0; i < messages.size() && !overspent; ++i) {
    const auto& expression = policy.validations[i].message_expression;
    if (!expression) continue;
    messages[i] = message_round.Evaluate(*expression);
    overspent = !messages[i];
  }
  std::vector<PolicyComplaint> complaints;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    if (!outcome.error.empty()) {
      if (policy.fails) complaints.push_back({.message = outcome.error, .reason = {}});
    } else if (overspent) {
      if (policy.fails)
        complaints.push_back({.message = Cat("failed messageExpression: ", kOutOfBudget), .reason = {}});
    } else if (!outcome.is_true) {
      complaints.push_back(
          {.message = MessageOf(policy.validations[i], messages[i]), .reason = policy.validations[i].reason});
    }
  }
  return complaints;
}

// Only what is wrong with the annotations: there is no audit log to put them into.
bool CheckAuditAnnotations(const CompiledPolicy& policy, const PolicyInput& input, const Value& parameters,
                           std::vector<PolicyComplaint>& complaints) {
  if (!policy.fails || policy.audit_annotations.empty()) return true;
  Round round(policy, input, parameters, false, kBudget);
  for (const PolicyExpression& annotation : policy.audit_annotations) {
    std::optional<Outcome> outcome = round.Evaluate(annotation);
    if (!outcome) return false;
    if (outcome->error.empty()) continue;
    complaints.push_back({.message = std::move(outcome->error), .reason = {}, .enforced_always = true});
  }
  return true;
}

std::vector<PolicyComplaint> OutOfBudget(const CompiledPolicy& policy) {
  if (!policy.fails) return {};
  return {{.message = std::string(kOutOfBudget), .reason = {}}};
}

}  // namespace

ConditionResult CheckMatchConditions(const CompiledPolicy& policy, const PolicyInput& input, const Value& parameters) {
  if (policy.conditions.empty()) return {};
  PolicyInput seen = input;
  seen.namespace_object = Value();  // is not shown to conditions
  Round round(policy, seen, parameters, true, kConditionBudget);
  std::vector<std::string> errors;
  for (const PolicyExpression& condition : policy.conditions) {
    std::optional<Outcome> outcome = round.Evaluate(condition);
    if (!outcome) return {.matches = false, .error = std::string(kOutOfBudget)};
    if (outcome->is_false) return {.matches = false, .error = {}};  // above all errors
    if (!outcome->error.empty()) errors.push_back(std::move(outcome->error));
  }
  if (errors.empty()) return {};
  if (errors.size() == 1) return {.matches = false, .error = std::move(errors[0])};
  return {.matches = false, .error = Cat("[", base::Join(errors, ", "), "]")};
}

MutationResult EvaluateMutation(const CompiledPolicy& policy, const PolicyMutation& mutation, const PolicyInput& input,
                                const Value& parameters, value::Arena& arena) {
  const PolicyExpression& expression = mutation.expression;
  if (!expression.error.empty()) return {.document = {}, .error = expression.error};
  Round round(policy, input, parameters, true, kBudget);
  MutationResult made;
  const auto keep = [&](const cel::Value& result) {
    std::vector<std::string> wrong;
    mutation.is_json_patch ? CheckPatchTypes(result, wrong) : CheckTypeNames(result, "Object", 0, wrong);
    if (!wrong.empty()) {
      made.error = Cat("type mismatch: ", base::Join(wrong, "\n"));
      return;
    }
    auto document = cel::ToDocument(result, arena);
    document ? void(made.document = *document) : void(made.error = document.error().message);
  };
  std::optional<Outcome> outcome = round.Evaluate(expression, keep);
  if (!outcome) return {.document = {}, .error = std::string(kOutOfBudget)};
  if (!outcome->error.empty()) made.error = std::move(outcome->error);
  return made;
}

std::vector<PolicyComplaint> EvaluatePolicy(const CompiledPolicy& policy, const PolicyInput& input,
                                            const Value& parameters) {
  ConditionResult matching = CheckMatchConditions(policy, input, parameters);
  if (!matching.error.empty() && policy.fails) return {{.message = std::move(matching.error), .reason = {}}};
  if (!matching.matches) return {};
  auto complaints = CheckValidations(policy, input, parameters);
  if (!complaints) return OutOfBudget(policy);
  if (!CheckAuditAnnotations(policy, input, parameters, *complaints)) return OutOfBudget(policy);
  return *std::move(complaints);
}

}  // namespace admission
