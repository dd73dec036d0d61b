#include "resources/rules/int_or_percent.h"

#include "api/quote.h"
#include "base/text.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/integers.h"

namespace resources {
namespace {

bool IsPercent(const Value& v) { return v.is_string() && api::CheckPercent(v.AsString()).empty(); }

int64_t NumberOf(const Value& v) { return v.is_int() ? v.AsInt() : 0; }

}  // namespace

std::string PrintIntOrString(const Value& v) {
  if (v.is_string()) return base::Cat("intstr.IntOrString{Type:1, IntVal:0, StrVal:", api::Quote(v.AsString()), "}");
  return base::Cat("intstr.IntOrString{Type:0, IntVal:", NumberOf(v), ", StrVal:\"\"}");
}

void CheckIntOrPercent(Errors& errors, const FieldPath& path, const Value& v) {
  if (!v.is_string()) return CheckNonNegative(errors, path, NumberOf(v));
  for (const std::string& complaint : api::CheckPercent(v.AsString())) {
    errors.InvalidAs(path, PrintIntOrString(v), complaint);
  }
}

void CheckAtMost100Percent(Errors& errors, const FieldPath& path, const Value& v) {
  if (IsPercent(v) && AmountOf(v) > 100) errors.InvalidAs(path, PrintIntOrString(v), "must not be greater than 100%");
}

int64_t AmountOf(const Value& v) {
  if (!v.is_string()) return NumberOf(v);
  std::string_view text = v.AsString();
  if (IsPercent(v)) text.remove_suffix(1);
  return ParseInteger(text).value;
}

}  // namespace resources
