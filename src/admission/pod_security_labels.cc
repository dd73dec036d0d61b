#include "admission/pod_security_labels.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "api/field_path.h"
#include "api/quote.h"
#include "base/text.h"

namespace admission {
namespace {

using value::Value;

constexpr std::string_view kPrefix = "pod-security.kubernetes.io/";

bool IsLevel(std::string_view text) { return text == "privileged" || text == "baseline" || text == "restricted"; }

bool IsVersion(std::string_view text) {
  constexpr std::string_view kMajor = "v1.";
  if (text == "latest") return true;
  if (!text.starts_with(kMajor)) return false;
  const std::string_view minor = text.substr(kMajor.size());
  // A minor version that no machine's integer holds is none.
  constexpr size_t kMostDigits = 18;
  return !minor.empty() && minor.size() <= kMostDigits && std::ranges::all_of(minor, base::IsDigit) &&
         (minor == "0" || minor[0] != '0');
}

api::FieldErrors Complaints(const Value& object) {
  api::FieldErrors errors;
  const Value labels = object.Get({"metadata", "labels"});
  const api::FieldPath metadata("metadata");
  const api::FieldPath path = metadata.Child("labels");
  const auto check = [&](const std::string& name, bool (*good)(std::string_view), std::string_view demand) {
    const Value* label = labels.Find(name);
    if (label == nullptr || good(label->AsString())) return;
    errors.push_back(
        {api::FieldError::Type::kInvalid, path.Key(name).text(), api::Quote(label->AsString()), std::string(demand)});
  };
  for (std::string_view mode : {"enforce", "audit", "warn"}) {
    check(base::Cat(kPrefix, mode), IsLevel, "must be one of privileged, baseline, restricted");
    check(base::Cat(kPrefix, mode, "-version"), IsVersion, "must be \"latest\" or \"v1.x\"");
  }
  return errors;
}

bool Same(const api::FieldErrors& a, const api::FieldErrors& b) {
  return std::ranges::equal(a, b, [](const api::FieldError& one, const api::FieldError& other) {
    return one.field == other.field && one.value == other.value;
  });
}

}  // namespace

api::Result<> CheckPodSecurityLabels(const Value& object, const Value* old) {
  const api::FieldErrors errors = Complaints(object);
  if (errors.empty() || (old != nullptr && Same(errors, Complaints(*old)))) return {};
  return api::Fail(api::Invalid({"", "Namespace"}, object.Get("metadata").GetString("name"), errors));
}

}  // namespace admission
