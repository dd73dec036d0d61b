#include "resources/admissionregistration/expressions.h"

#include <algorithm>
#include <span>
#include <string>

#include "absl/strings/ascii.h"
#include "base/text.h"
#include "cel/program.h"

namespace resources::admissionregistration {
namespace {

using base::Cat;

// The types of which an expression's result is one; empty: any.
std::span<const std::string_view> ResultTypes(ExpressionKind kind) {
  static constexpr std::string_view kBool[] = {"bool"}, kString[] = {"string"}, kText[] = {"string", "null_type"};
  static constexpr std::string_view kObject[] = {"Object"}, kPatches[] = {"list(JSONPatch)"};
  switch (kind) {
    case ExpressionKind::kMatchCondition:
    case ExpressionKind::kValidation:
      return kBool;
    case ExpressionKind::kMessage:
      return kString;
    case ExpressionKind::kAuditAnnotation:
      return kText;
    case ExpressionKind::kApplyConfiguration:
      return kObject;
    case ExpressionKind::kJsonPatch:
      return kPatches;
    default:
      return {};
  }
}

// What is wrong with a result of that type; "" nothing.
std::string TypeComplaint(ExpressionKind kind, const std::string& type) {
  const std::span<const std::string_view> wanted = ResultTypes(kind);
  if (wanted.empty() || std::ranges::find(wanted, type) != wanted.end()) return "";
  if (wanted.size() == 1) return Cat("must evaluate to ", wanted[0], " but got ", type);
  std::string names;
  for (const std::string_view name : wanted) base::Append(names, names.empty() ? "" : " ", name);
  return Cat("must evaluate to one of [", names, "] but got ", type);
}

}  // namespace

std::shared_ptr<const cel::Environment> ExpressionChecker::EnvironmentOf(const Expression& expression) {
  const cel::Version version = expression.stored ? cel::kStoredExpressions : cel::kNewExpressions;
  if (expression.kind == ExpressionKind::kVariable && !composed_) composed_.emplace(expression.has_params);
  const bool patches =
      expression.kind == ExpressionKind::kApplyConfiguration || expression.kind == ExpressionKind::kJsonPatch;
  if (patches && !composed_) composed_.emplace(expression.has_params);  // `variables` is there, if empty
  if (composed_) return composed_->Get(version, expression.has_authorizer, patches);
  return cel::AdmissionEnvironment({.version = version,
                                    .has_params = expression.has_params,
                                    .has_authorizer = expression.has_authorizer,
                                    .has_patches = patches});
}

void ExpressionChecker::Check(Errors& errors, const FieldPath& path, const Expression& expression) {
  const auto checked = cel::Check(EnvironmentOf(expression), expression.text);
  const bool variable = expression.kind == ExpressionKind::kVariable;
  if (!checked) {
    if (variable) composed_->Add(expression.name, nullptr);
    return errors.Invalid(path, expression.reported, Cat("compilation failed: ", checked.error()));
  }
  if (variable) composed_->Add(expression.name, &checked->type());
  const std::string complaint = TypeComplaint(expression.kind, FormatFull(checked->type()));
  if (!complaint.empty()) return errors.Invalid(path, expression.reported, complaint);
  const auto program = cel::MakeProgram(*checked);
  if (!program) errors.Internal(path, Cat("program instantiation failed: ", program.error()));
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

}  // namespace resources::admissionregistration
