#include "resources/admissionregistration/type_checking.h"

#include "base/text.h"
#include "resources/admissionregistration/expressions.h"
#include "resources/admissionregistration/json_path.h"

namespace resources::admissionregistration {
namespace {

void CheckFieldRef(Scope& warning) {
  const std::string_view ref = Trimmed(warning.String("fieldRef"));
  if (ref.empty()) return warning.errors.Required(warning.At("fieldRef"));
  const std::string complaint = JsonPathComplaint(base::Cat("{", ref, "}"));
  if (!complaint.empty()) {
    warning.errors.Invalid(warning.At("fieldRef"), ref, base::Cat("invalid JSONPath: ", complaint));
  }
}

constexpr Rule kWarning[] = {Required("warning"), Call(CheckFieldRef)};
constexpr Rule kTypeChecking[] = {Each("expressionWarnings", kWarning)};
constexpr Rule kStatus[] = {Into("typeChecking", kTypeChecking)};

}  // namespace

void CheckTypeChecking(Scope& status) { Check(status, kStatus, status.path, status.object, nullptr); }

}  // namespace resources::admissionregistration
