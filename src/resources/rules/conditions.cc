#include "resources/rules/conditions.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "resources/rules/field_checks.h"

namespace resources {
namespace {

constexpr int64_t kMostReasonBytes = 1024;
constexpr int64_t kMostMessageBytes = 32 * 1024;

bool IsWordCharacter(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool IsReason(std::string_view text) {
  if (text.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(text.front()))) return false;
  if (!IsWordCharacter(text.back())) return false;
  return std::ranges::all_of(text, [](char c) { return IsWordCharacter(c) || c == ',' || c == ':'; });
}

void CheckReason(Errors& errors, const FieldPath& path, std::string_view reason) {
  if (reason.empty()) return errors.Required(path, "must be set");
  if (!IsReason(reason)) {
    errors.Invalid(path, reason,
                   api::RegexText("a condition reason must start with alphabetic character, optionally followed by a "
                                  "string of alphanumeric characters or '_,:', and must end with an alphanumeric "
                                  "character or '_'",
                                  "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
                                  {"my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"}));
  }
  if (static_cast<int64_t>(reason.size()) > kMostReasonBytes) errors.TooLong(path, kMostReasonBytes);
}

void CheckCondition(Errors& errors, const FieldPath& path, const Value& condition, std::string_view time_field) {
  kQualifiedName(errors, path.Child("type"), condition.GetString("type"));
  const std::string_view status = condition.GetString("status");
  if (status != "True" && status != "False" && status != "Unknown") {
    errors.NotSupported(path.Child("status"), status, {"False", "True", "Unknown"});
  }
  const Value generation = condition.Get("observedGeneration");
  if (generation.is_int() && generation.AsInt() < 0) {
    errors.Invalid(path.Child("observedGeneration"), generation.AsInt(), "must be greater than or equal to zero");
  }
  // The field's name is the same in the text whatever the type calls it.
  if (condition.GetString(time_field).empty()) errors.Required(path.Child("lastTransitionTime"), "must be set");
  CheckReason(errors, path.Child("reason"), condition.GetString("reason"));
  if (static_cast<int64_t>(condition.GetString("message").size()) > kMostMessageBytes) {
    errors.TooLong(path.Child("message"), kMostMessageBytes);
  }
}

}  // namespace

void CheckConditions(Errors& errors, const FieldPath& path, const Value& conditions, std::string_view time_field) {
  std::set<std::string_view> seen;
  for (uint32_t i = 0; i < conditions.size(); ++i) {
    const std::string_view type = conditions[i].GetString("type");
    const FieldPath item = path.Index(i);
    if (!seen.insert(type).second) errors.Duplicate(item.Child("type"), type);
    CheckCondition(errors, item, conditions[i], time_field);
  }
}

}  // namespace resources
