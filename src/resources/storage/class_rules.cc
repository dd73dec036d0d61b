#include "resources/storage/class_rules.h"

#include <string>

#include "absl/strings/ascii.h"
#include "resources/rules/field_checks.h"

namespace resources::storage {
namespace {

constexpr int64_t kMostParameters = 512;
constexpr int64_t kMostParameterBytes = 256 * 1024;

}  // namespace

void CheckDriver(Errors& errors, const FieldPath& path, std::string_view driver) {
  if (driver.empty()) return errors.Required(path);
  std::string lower(driver);
  absl::AsciiStrToLower(&lower);
  kQualifiedName(errors, path, lower);
}

void CheckParameters(Errors& errors, const FieldPath& path, const Value& parameters) {
  if (parameters.size() > kMostParameters) return errors.TooLong(path, kMostParameters);
  int64_t bytes = 0;
  for (const value::Member& parameter : parameters.members()) {
    if (parameter.key.empty()) errors.Invalid(path, parameter.key, "field can not be empty.");
    bytes += static_cast<int64_t>(parameter.key.size() + parameter.value.AsString().size());
  }
  if (bytes > kMostParameterBytes) errors.TooLong(path, kMostParameterBytes);
}

void CheckParametersKept(Scope& storage_class) {
  const Value *now = storage_class.object.Find("parameters"), *old = storage_class.old->Find("parameters");
  if (now == nullptr && old == nullptr) return;
  if (now != nullptr && old != nullptr && value::Equal(*now, *old)) return;
  storage_class.errors.Forbidden(storage_class.At("parameters"), "updates to parameters are forbidden.");
}

}  // namespace resources::storage
