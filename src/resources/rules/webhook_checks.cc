#include "resources/rules/webhook_checks.h"

#include <algorithm>
#include <set>

#include "api/names.h"
#include "api/url.h"
#include "base/text.h"
#include "resources/rules/field_checks.h"

namespace resources {
namespace {

constexpr std::string_view kForm = "; desired format: https://host[/path]";

void CheckUrl(Errors& errors, const FieldPath& path, std::string_view text) {
  const auto url = api::ParseUrl(text);
  if (!url) return errors.Required(path, base::Cat("url must be a valid URL: ", url.error(), kForm));
  if (url->scheme != "https") {
    errors.Invalid(path, url->scheme, base::Cat("'https' is the only allowed URL scheme", kForm));
  }
  if (url->host.empty()) errors.Invalid(path, url->host, base::Cat("host must be specified", kForm));
  if (url->user) errors.Invalid(path, *url->user, "user information is not permitted in the URL");
  if (!url->fragment.empty()) errors.Invalid(path, url->fragment, "fragments are not permitted in the URL");
  if (!url->query.empty()) errors.Invalid(path, url->query, "query parameters are not permitted in the URL");
}

// The steps of the path are names. The real server leaves out the first character, whatever it is.
void CheckServicePath(Errors& errors, const FieldPath& path, std::string_view text) {
  if (text.empty() || text == "/") return;
  if (text == "//") return errors.Invalid(path, text, "segment[0] may not be empty");
  if (!text.starts_with('/')) errors.Invalid(path, text, "must start with a '/'");
  std::string_view rest = text.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (int index = 0;; ++index) {
    const size_t slash = rest.find('/');
    const std::string_view step = rest.substr(0, slash);
    if (step.empty()) {
      errors.Invalid(path, text, base::Cat("segment[", index, "] may not be empty"));
    } else {
      for (const std::string& complaint : api::CheckDns1123Subdomain(step)) {
        errors.Invalid(path, text, base::Cat("segment[", index, "]: ", complaint));
      }
    }
    if (slash == rest.npos) return;
    rest.remove_prefix(slash + 1);
  }
}

// The real server takes the name for the namespace and the other way round.
void CheckService(Errors& errors, const FieldPath& path, const Value& service) {
  if (service.GetString("namespace").empty()) errors.Required(path.Child("name"), "service name is required");
  if (service.GetString("name").empty()) errors.Required(path.Child("namespace"), "service namespace is required");
  const Value port = service.Get("port");
  if (const int64_t number = port.is_int() ? port.AsInt() : 0; number < 1 || number > 65535) {
    errors.Invalid(path.Child("port"), number, base::Cat("port is not valid: ", api::InclusiveRangeText(1, 65535)));
  }
  CheckServicePath(errors, path.Child("path"), service.GetString("path"));
}

}  // namespace

void CheckWebhookClient(Errors& errors, const FieldPath& path, const Value& client) {
  const Value* url = client.Find("url");
  const Value* service = client.Find("service");
  if ((url == nullptr) == (service == nullptr)) {
    errors.Required(path, "exactly one of url or service is required");
  } else if (url != nullptr) {
    CheckUrl(errors, path.Child("url"), url->AsString());
  } else {
    CheckService(errors, path.Child("service"), *service);
  }
}

bool HasKnownReviewVersion(const Value& versions) {
  return std::ranges::any_of(versions.items(), [](const Value& version) {
    return version.AsString() == "v1" || version.AsString() == "v1beta1";
  });
}

void CheckReviewVersions(Errors& errors, const FieldPath& path, const Value& versions, std::string_view missing,
                         bool must_know_one) {
  if (versions.empty()) return errors.Required(path, missing);
  std::set<std::string_view> seen;
  for (uint32_t i = 0; i < versions.size(); ++i) {
    const std::string_view version = versions[i].AsString();
    if (!seen.insert(version).second) {
      errors.Invalid(path.Index(i), version, "duplicate version");
    } else {
      kDns1035Label(errors, path.Index(i), version);
    }
  }
  if (must_know_one && !HasKnownReviewVersion(versions)) {
    errors.Invalid(path, versions, "must include at least one of v1, v1beta1");
  }
}

}  // namespace resources
